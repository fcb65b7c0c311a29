/* draws.c: five kinds of draws, two of one operator at one place: each has a key of its own, and a
 * new draw in every step. Goes wrong when a replay repeats the recorded draw, when pruning one
 * moves the others, or when one operator's second use draws what its first did. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t four[1] = {4};
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), drawn, chosen;
  broch_tensor kept =
      publish(self, tower, "kept", broch_op_bernoulli(ops, broch_op_detach(ops, y), 0.75));
  broch_tensor again =
      publish(self, tower, "again", broch_op_bernoulli(ops, broch_op_detach(ops, y), 0.5));
  drawn = publish(self, tower, "normal",
                  broch_op_normal_like(ops, broch_op_detach(ops, y), 0.5, 0.125));
  chosen = broch_op_multinomial(ops, broch_op_softmax(ops, broch_op_detach(ops, y), 1, 0), 2, 0);
  publish(self, tower, "chosen", chosen);
  again = add(self, again, publish(self, tower, "noise", broch_op_randn(ops, four, 1, 0)));
  y = broch_op_mul(ops, add(self, broch_op_mul(ops, y, kept), again), drawn);
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, broch_op_gather(ops, y, 1, chosen, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("draws")
