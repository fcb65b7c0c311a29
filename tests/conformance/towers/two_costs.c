/* two_costs.c: two costs over one forward pass, each for variables of its own, as a GAN's. The
 * returned cost is their sum; a trainer may differentiate "cost_a" and "cost_b" separately. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor a = variable(self, tower, "gen/W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor b = variable(self, tower, "discrim/W", 1, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor fake = broch_op_tanh(ops, broch_op_linear(ops, inputs[0], a, 0));
  broch_tensor score = broch_op_linear(ops, fake, b, 0);
  broch_tensor cost_a = publish(
      self, tower, "cost_a",
      mean(self, broch_op_softplus(ops, broch_op_neg(ops, score), broch_int(1), broch_int(20))));
  broch_tensor cost_b =
      publish(self, tower, "cost_b",
              mean(self, broch_op_softplus(ops, score, broch_int(1), broch_int(20))));
  *cost = publish(self, tower, "cost", add(self, cost_a, cost_b));
  return BROCH_OK;
}

CONFORMANCE_TOWER("two-costs")
