/* frozen.c: one scope is trained, the other takes part in the cost and must not move. Goes wrong
 * when flat buffers or a whole-list optimizer ignore which variables an apply node names. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor base = variable(self, tower, "base/W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor head = variable(self, tower, "head/W", 2, 3, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor tail = variable(self, tower, "tail/b", 2, 0, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor hidden = broch_op_relu(ops, broch_op_linear(ops, inputs[0], base, 0));
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, broch_op_linear(ops, hidden, head, tail))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("frozen")
