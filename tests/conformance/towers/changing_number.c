/* changing_number.c: a plain C number that is another one in each step: it is an argument of an
 * operator, so nothing but verification can see that it changes. */
#include "step.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const double scale = 1 + (double)step_behind_the_back(self) / 64;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y =
      broch_op_mul_scalar(ops, broch_op_linear(ops, inputs[0], w, 0), broch_double(scale));
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, y)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("changing-number")
