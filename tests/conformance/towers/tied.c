/* tied.c: one weight used three times, once transposed, and inputs that are used twice, so that
 * gradients of one slot are added up. Goes wrong when the order of the additions, or the choice
 * between stealing and copying the first one, is not the engine's. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor b = variable(self, tower, "b", 4, 0, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor hidden = broch_op_tanh(ops, broch_op_linear(ops, inputs[0], w, b));
  broch_tensor again = broch_op_tanh(ops, add(self, broch_op_linear(ops, hidden, w, b), hidden));
  broch_tensor back = add(self, broch_op_mm(ops, again, w), b);
  *cost = publish(self, tower, "cost",
                  add(self, mean(self, broch_op_square(ops, sub(self, back, inputs[0]))),
                      mean(self, broch_op_abs(ops, w))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("tied")
