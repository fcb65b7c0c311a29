/* changing_constant.c: a constant with other values in each step, against the contract of constant.
 * Goes wrong when verification looks at the same step twice and never sees another value. */
#include "step.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  float weight = 1 + (float)step_behind_the_back(self) / 64;
  broch_dl_tensor data;
  broch_tensor scale = 0;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  memset(&data, 0, sizeof data);
  data.data = &weight;
  data.device.device_type = BROCH_DL_CPU;
  data.dtype.code = BROCH_DL_FLOAT;
  data.dtype.bits = 32;
  data.dtype.lanes = 1;
  if (ops->status == BROCH_OK)
    ops->status = self->tower->constant(self->host, tower, &data, &scale);
  *cost = publish(
      self, tower, "cost",
      mean(self,
           broch_op_square(ops, broch_op_mul(ops, broch_op_linear(ops, inputs[0], w, 0), scale))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("changing-constant")
