/* draws.c: four kinds of draws, two of one operator at one place: each has a key of its own, and a
 * new draw in every step. Goes wrong when a replay repeats the recorded draw, when pruning one
 * moves the others, or when one operator's second use draws what its first did. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_value arguments[3];
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_linear(ops, inputs[0], w, 0), drawn, chosen;
  broch_tensor kept =
      publish(self, tower, "kept", broch_bernoulli(ops, broch_detach(ops, y), 0.75));
  broch_tensor again =
      publish(self, tower, "again", broch_bernoulli(ops, broch_detach(ops, y), 0.5));
  drawn = publish(self, tower, "normal", broch_normal_like(ops, broch_detach(ops, y), 0.5, 0.125));
  arguments[0] = broch_of(broch_softmax(ops, broch_detach(ops, y), 1, 0));
  arguments[1] = broch_int(2);
  arguments[2] = broch_bool(0);
  chosen = raw(self,
               "aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, "
               "Generator? generator=None) -> Tensor",
               arguments, 3);
  publish(self, tower, "chosen", chosen);
  y = broch_mul(ops, add(self, broch_mul(ops, y, kept), again), drawn);
  *cost = publish(self, tower, "cost",
                  mean(self, broch_square(ops, broch_gather(ops, y, 1, chosen, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("draws")
