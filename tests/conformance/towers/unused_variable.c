/* unused_variable.c: a trainable variable that the cost does not depend on: dropped with a warning,
 * it keeps its value and gets no slots. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  variable(self, tower, "unused", 5, 0, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, broch_op_linear(ops, inputs[0], w, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("unused-variable")
