/* published_variable.c: published names that are an input, a variable and views of a variable. A
 * published name has its value from before the step's update. Goes wrong when it is read from the
 * variable's own memory after the optimizer wrote there. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor input = publish(self, tower, "input", inputs[0]);
  broch_tensor whole = publish(self, tower, "weight", w);
  publish(self, tower, "turned", broch_op_t(ops, whole));
  publish(self, tower, "row", broch_op_select(ops, broch_op_detach(ops, whole), 0, 1));
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, broch_op_linear(ops, input, whole, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("published-variable")
