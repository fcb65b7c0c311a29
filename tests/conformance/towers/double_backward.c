/* double_backward.c: a gradient inside the tower that is part of the cost, as WGAN-GP's penalty: in
 * training only, inference has no gradients. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t last[1] = {1};
  broch_tensor w = variable(self, tower, "W", 6, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor v = variable(self, tower, "V", 1, 6, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor shift = variable(self, tower, "shift", 4, 0, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor x = add(self, inputs[0], shift);
  broch_tensor score = broch_op_sum(
      ops, broch_op_linear(ops, broch_op_tanh(ops, broch_op_linear(ops, x, w, 0)), v, 0), 0);
  broch_tensor slope = 0, norm, penalty;
  broch_tower_info info;
  info.struct_size = sizeof info;
  if (ops->status == BROCH_OK) ops->status = self->tower->info(self->host, tower, &info);
  if (ops->status != BROCH_OK || !info.is_training) {
    publish(self, tower, "cost", mean(self, score));
    return BROCH_OK;
  }
  if (ops->status == BROCH_OK)
    ops->status =
        self->autograd->grad(self->host, &score, 1, &x, 1, NULL, BROCH_GRAD_CREATE_GRAPH, &slope);
  norm = broch_op_sqrt(ops, broch_op_sum_dim(ops, broch_op_square(ops, slope), last, 1, 0, 0));
  penalty =
      mean(self, broch_op_square(ops, broch_op_sub_scalar(ops, norm, broch_int(1), broch_int(1))));
  publish(self, tower, "penalty", penalty);
  *cost = publish(self, tower, "cost", add(self, mean(self, score), penalty));
  return BROCH_OK;
}

CONFORMANCE_TOWER("double-backward")
