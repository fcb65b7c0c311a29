/* ext/predict.h: runs the model in inference mode with the current weights, which are not copied.
 * tensorpack: `Trainer.get_predictor`, `OnlinePredictor`.
 *
 * An inference tower is built once per tower name. It reuses existing variables. */
#ifndef BROCH_EXT_PREDICT_H
#define BROCH_EXT_PREDICT_H

#include "../host.h"
#include "../role/model.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_PREDICT "broch.predict/1"

typedef struct broch_host_predict {
  uint32_t struct_size;
  uint32_t reserved;

  /* The inputs of the model, borrowed as long as the run. [any] */
  broch_status (*signature)(const broch_host* host, const broch_input_spec** inputs /* out */,
                            uint32_t* n /* out */);

  /* Makes a predictor; call it in setup_graph. inputs and outputs are published names or inputs;
   * outputs may also be variables. The tower runs on number device of predict_devices (modulo their
   * number, with a warning). tower_name NULL: "tower-pred-{device}". [main] */
  broch_status (*get_predictor)(const broch_host* host, const char* tower_name, uint32_t device,
                                const char* const* inputs, uint32_t n, const char* const* outputs,
                                uint32_t m, broch_predictor* predictor /* out */);

  /* Runs it; usable once the variables are initialized. The outputs are copies. Inputs of the model
   * that were not named are not fed: get_predictor refuses outputs that need them. Callable from
   * any thread, one call per predictor at a time. [any] */
  broch_status (*call)(const broch_host* host, broch_predictor predictor,
                       const broch_tensor* inputs, uint32_t n, broch_tensor* outputs /* out */,
                       uint32_t m);

  /* signature and get_predictor of another model: the component of role model at an option of this
   * component ("/model"). Its towers use the variables of the run that have the same names, and
   * make none, but those with the flag LOCAL alone. Call get_child_predictor in setup_graph.
   * NOT_FOUND: no component is there. [main] */
  broch_status (*child_signature)(const broch_host* host, const char* pointer,
                                  const broch_input_spec** inputs /* out */, uint32_t* n /* out */);
  broch_status (*get_child_predictor)(const broch_host* host, const char* pointer,
                                      const char* tower_name, uint32_t device,
                                      const char* const* inputs, uint32_t n,
                                      const char* const* outputs, uint32_t m,
                                      broch_predictor* predictor /* out */);
} broch_host_predict;

BROCH_C_END

#endif
