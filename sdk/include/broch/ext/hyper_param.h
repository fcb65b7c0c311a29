/* ext/hyper_param.h: hyper-parameters, which are numbers that change during training.
 *
 * A hyper-parameter is a 0-dim float64 variable that is not LOCAL (so 0.3 prints and compares as
 * 0.3). It can be set by name between steps. An optimizer declares its own: "learning_rate",
 * "momentum", …. A tower function gets hyper-parameters only as tensors. */
#ifndef BROCH_EXT_HYPER_PARAM_H
#define BROCH_EXT_HYPER_PARAM_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_HYPER_PARAM "broch.hyper_param/1"

typedef struct broch_host_hyper_param {
  uint32_t struct_size;
  uint32_t reserved;

  /* Makes sure that the hyper-parameter exists; an existing one keeps its value. Call it in
   * setup_graph, or in a tower function while the graph is set up. [main] [step] */
  broch_status (*declare)(const broch_host* host, const char* name, double initial);

  /* Sets or reads it. NOT_FOUND: no such name; the message lists those that exist. Any variable
   * with one element can be set and read as well, by its full name. An integer variable accepts no
   * fraction, a hyper-parameter no NaN. So can an option of another component, as INSTANCE/OPTION,
   * if it may change (plugin/options.h) and is a number, but not inside a hooked run or while that
   * component is being called. [main] */
  broch_status (*set)(const broch_host* host, const char* name, double value);
  broch_status (*get)(const broch_host* host, const char* name, double* value /* out */);

  /* In a tower function: the value as a 0-dim tensor, of dtype float64. The names global_step and
   * epoch_num also work, with dtype int64. [step] */
  broch_status (*tensor)(const broch_host* host, broch_tower tower, const char* name,
                         broch_tensor* tensor /* out */);
} broch_host_hyper_param;

BROCH_C_END

#endif
