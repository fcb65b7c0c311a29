/* changing_operator.c: even steps compute by another operator than odd ones. Goes wrong when only
 * buffers of equal names are compared and a step with other operators counts as the same. */
#include "step.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  y = step_behind_the_back(self) % 2 ? broch_op_tanh(ops, y) : broch_op_sigmoid(ops, y);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, y)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("changing-operator")
