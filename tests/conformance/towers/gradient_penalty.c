/* gradient_penalty.c: the penalty of WGAN-GP (Gulrajani et al. 2017) at random points between data
 * and what a generator made, in training and in inference. Goes wrong when the penalty moves the
 * generator, or when the second derivative is taken at other points than the first. */
#include "tower.h"

#define INPUTS INPUT_X

/* One number for each row: the squares of W x, weighted with V. */
static broch_tensor critic(broch_opset* ops, broch_tensor x, broch_tensor w, broch_tensor v) {
  return broch_op_linear(ops, broch_op_square(ops, broch_op_linear(ops, x, w, 0)), v, 0);
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t last[1] = {1};
  const broch_tensor x = inputs[0];
  broch_tensor w = variable(self, tower, "W", 6, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor v = variable(self, tower, "V", 1, 6, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor g = variable(self, tower, "G", 4, 0, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor fake = broch_op_tanh(ops, broch_op_mul(ops, x, g));
  broch_tensor share = broch_op_rand_like(ops, broch_op_sum_dim(ops, x, last, 1, 1, 0), 0);
  broch_tensor between = add(self, x, broch_op_mul(ops, share, sub(self, fake, x)));
  broch_tensor tracked = 0, total, slope = 0, norm, penalty, distance;
  between = publish(self, tower, "between", between);
  if (ops->status == BROCH_OK) ops->status = self->autograd->track(self->host, between, &tracked);
  total = broch_op_sum(ops, critic(ops, tracked, w, v), 0);
  if (ops->status == BROCH_OK)
    ops->status = self->autograd->grad(self->host, &total, 1, &tracked, 1, NULL,
                                       BROCH_GRAD_CREATE_GRAPH, &slope);
  norm = broch_op_sqrt(ops, broch_op_sum_dim(ops, broch_op_square(ops, slope), last, 1, 0, 0));
  penalty =
      mean(self, broch_op_square(ops, broch_op_sub_scalar(ops, norm, broch_int(1), broch_int(1))));
  penalty = publish(self, tower, "penalty", penalty);
  distance = sub(self, mean(self, critic(ops, fake, w, v)), mean(self, critic(ops, x, w, v)));
  *cost = publish(self, tower, "cost", add(self, distance, penalty));
  return BROCH_OK;
}

CONFORMANCE_TOWER("gradient-penalty")
