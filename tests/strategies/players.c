/* players.c: two numbers g and d from 1.0, and a cost for each of them, x being the mean of the
 * data: g_loss = g d x and d_loss = d (g x + 1). */
#include "number.h"

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor g = number(self, tower, "gen/w");
  broch_tensor d = number(self, tower, "discrim/w");
  broch_tensor both = broch_op_mul(ops, broch_op_mul(ops, g, d), mean(self, inputs[0]));
  *cost = publish(self, tower, "g_loss", both);
  publish(self, tower, "d_loss", add(self, both, d));
  return BROCH_OK;
}

CONFORMANCE_TOWER("players")
