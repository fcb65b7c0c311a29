/* target_network.c: a second network that a callback's operation overwrites from time to time, as
 * DQN's target: no update in the tower touches it. Goes wrong when it is taken for a constant and
 * folded, or when the copy moves the variable away from under a recording. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor old = variable(self, tower, "target/W", 2, 4, 0.5, BROCH_VARIABLE_MODEL, NULL);
  broch_tensor next = broch_op_linear(ops, broch_op_neg(ops, inputs[0]), old, 0);
  const int64_t last[1] = {1};
  broch_tensor best = broch_op_amax(ops, broch_op_detach(ops, next), last, 1, 1);
  broch_tensor goal =
      publish(self, tower, "goal", broch_op_mul_scalar(ops, best, broch_double(0.9)));
  broch_tensor off = sub(self, broch_op_linear(ops, inputs[0], w, 0), goal);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, off)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("target-network")
