/* ext/hyper.h: numbers that change during training.
 *
 * A hyper-parameter is a GLOBAL 0-dim float64 variable (0.3 prints and compares as 0.3), settable by
 * name between steps. An optimizer declares its own: "learning_rate", "momentum", …. They reach a
 * tower function only as tensors. */
#ifndef BROCH_EXT_HYPER_H
#define BROCH_EXT_HYPER_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_HYPER "broch.hyper/1"

typedef struct broch_hyper {
  uint32_t struct_size;
  uint32_t reserved;

  /* In setup_graph, or in a tower function that is being defined: makes sure it exists. An existing
   * one keeps its value. [main] [step] */
  broch_status (*declare)(const broch_host* host, const char* name, double initial);

  /* NOT_FOUND with the names there are. A variable of one element can be set and read by its full
   * name, too; an integer one refuses a fraction, a hyper-parameter NaN. [main] */
  broch_status (*set)(const broch_host* host, const char* name, double value);
  broch_status (*get)(const broch_host* host, const char* name, double* value /* out */);

  /* In a tower function: the value as a 0-dim tensor: float64; global_step and epoch_num int64. [step]
   */
  broch_status (*tensor)(const broch_host* host, broch_tower tower, const char* name,
                         broch_tensor* tensor /* out */);
} broch_hyper;

BROCH_C_END

#endif
