/* attention_dropout.c: an operator that draws inside and takes no generator. Goes wrong when its
 * draw comes from a generator that others advance. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t heads[4] = {1, 2, -1, 2};
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_reshape(ops, broch_op_linear(ops, inputs[0], w, 0), heads, 4);
  broch_tensor mixed = broch_op_scaled_dot_product_attention(ops, y, broch_op_tanh(ops, y), y, 0,
                                                             0.25, 0, broch_none(), 0);
  publish(self, tower, "mixed", mixed);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, mixed)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("attention-dropout")
