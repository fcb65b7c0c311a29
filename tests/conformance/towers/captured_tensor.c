/* captured_tensor.c: a tensor kept from an earlier call is no input, variable or constant: an error
 * that says what to make of it, in every mode. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static broch_tensor kept; /* of the first call */
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  if (ops->status == BROCH_OK && kept == 0)
    ops->status = self->tensor->retain(self->host, broch_op_detach(ops, w), &kept);
  *cost = publish(
      self, tower, "cost",
      mean(self, broch_op_square(ops, add(self, y, broch_op_linear(ops, inputs[0], kept, 0)))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("captured-tensor")
