// kernel_fails.cpp: host code that goes wrong in its fifth call, which a recording makes in a
// replay; HOW says in which way. Goes wrong when nobody says whose code it was.
#include "kernel.h"

#define INPUTS INPUT_X
#define FAILS 1      // a status and a reason
#define THROWS 2     // an exception
#define LIES 3       // a status that is none
#define REFUSES 4    // the shape function, in the first call
#define MISSHAPES 5  // a shape that is none
#define OPERATES 6   // an operator, which host code is not to call

static broch_status shapes(void* user, const broch_kernel_type*, uint32_t,
                           broch_kernel_type* outputs, uint32_t) {
  auto* self = static_cast<tower_self*>(user);
  outputs[0].dtype = BROCH_FLOAT32;
  if (HOW == REFUSES)
    return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT, "matrices are not for me");
  if (HOW == MISSHAPES) {
    outputs[0].rank = 1;
    outputs[0].shape[0] = -3;
  }
  return BROCH_OK;
}

static broch_status run(void* user, const broch_kernel_call*, const broch_dl_tensor*, uint32_t,
                        const broch_dl_tensor* outputs, uint32_t) {
  static int calls = 0;
  auto* self = static_cast<tower_self*>(user);
  *static_cast<float*>(outputs[0].data) = 1;
  if (++calls < 5) return BROCH_OK;
  if (HOW == THROWS) throw calls;
  if (HOW == LIES) return 77;
  if (HOW == OPERATES) {
    broch_op_ones(&self->ops, nullptr, 0, 0);
    return broch_opset_status(&self->ops);
  }
  return self->host->fail(self->host, BROCH_E_UNAVAILABLE, "the oracle is closed");
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_kernel kernel = {
      sizeof(broch_kernel), BROCH_KERNEL_STATEFUL, "oracle", shapes, run, nullptr};
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, nullptr);
  broch_tensor y = broch_op_linear(&self->ops, inputs[0], w, 0), number = 0;
  run_kernel(self, tower, &kernel, &y, 1, &number, 1);
  *cost = publish(self, tower, "cost", broch_op_mul(&self->ops, mean(self, y), number));
  return BROCH_OK;
}

CONFORMANCE_TOWER(TOWER)
