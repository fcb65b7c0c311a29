/* fed_slice.c: a slice of an input that is published, so that a caller may feed it instead, as DQN
 * does with the state part of its replay. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 2, 3, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor slice = publish(self, tower, "slice", broch_op_narrow(ops, inputs[0], 1, 0, 3));
  broch_tensor value = publish(self, tower, "value", broch_op_linear(ops, slice, w, 0));
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, value)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("fed-slice")
