/* ext/predict.h: the model in inference mode on the current weights, without a copy. Seed terms:
 * Trainer.get_predictor, OnlinePredictor (M09, M10, M17). */
#ifndef BROCH_EXT_PREDICT_H
#define BROCH_EXT_PREDICT_H

#include "../host.h"
#include "../role/model.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_PREDICT "broch.predict/1"

typedef struct broch_predict {
  uint32_t struct_size;
  uint32_t reserved;

  /* The model's inputs, borrowed as long as the run. [any] */
  broch_status (*signature)(const broch_host* host, const broch_input_spec** inputs /* out */,
                            uint32_t* n /* out */);

  /* In setup_graph (later works too where nothing is recorded, but is not portable). Builds, once per
   * tower name, an inference tower under reuse on the device-th of predict_devices (modulo, with a
   * warning). tower_name NULL: "tower-pred-{device}". Names are published names, inputs or variables.
   * [main] */
  broch_status (*get_predictor)(const broch_host* host, const char* tower_name, uint32_t device,
                                const char* const* inputs, uint32_t n, const char* const* outputs,
                                uint32_t m, broch_predictor* predictor /* out */);

  /* Usable once the variables are initialised; outputs are copies. Inputs that are not named are not
   * fed: an output that needs one fails, naming it. From any thread, one call a predictor at a time.
   * [any] */
  broch_status (*call)(const broch_host* host, broch_predictor predictor,
                       const broch_tensor* inputs, uint32_t n, broch_tensor* outputs /* out */,
                       uint32_t m);
} broch_predict;

BROCH_C_END

#endif
