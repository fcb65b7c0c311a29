/* saliency.c: the slope of a score at the input, in training and in inference, and a step along its
 * sign as in FGSM (Goodfellow et al. 2015). Training goes on with the moved points. The error
 * against the slope by hand is published, too. Goes wrong when inference records no gradients, or
 * when gradients flow on through the tracked input. */
#include "tower.h"

#define INPUTS INPUT_X

/* One score for each row: the squares of W x, weighted with V. */
static broch_tensor score(broch_opset* ops, broch_tensor x, broch_tensor w, broch_tensor v) {
  return broch_op_linear(ops, broch_op_square(ops, broch_op_linear(ops, x, w, 0)), v, 0);
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 6, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor v = variable(self, tower, "V", 1, 6, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor x = 0, total, slope = 0, by_hand, moved, off;
  if (ops->status == BROCH_OK) ops->status = self->autograd->track(self->host, inputs[0], &x);
  total = broch_op_sum(ops, score(ops, x, w, v), 0);
  if (ops->status == BROCH_OK)
    ops->status = self->autograd->grad(self->host, &total, 1, &x, 1, NULL, 0, &slope);
  slope = publish(self, tower, "saliency", slope);
  by_hand = broch_op_mul(ops, broch_op_linear(ops, inputs[0], w, 0), v);
  by_hand = broch_op_mul_scalar(ops, broch_op_mm(ops, by_hand, w), broch_int(2));
  publish(self, tower, "error", broch_op_max(ops, broch_op_abs(ops, sub(self, slope, by_hand))));
  moved = broch_op_add(ops, inputs[0], broch_op_sign(ops, slope), broch_double(0.125));
  moved = publish(self, tower, "moved", moved);
  off = broch_op_sub_scalar(ops, score(ops, moved, w, v), broch_int(1), broch_int(1));
  /* Divided so that the rate of the tests does not lead too far. */
  *cost = publish(self, tower, "cost",
                  broch_op_div_scalar(ops, mean(self, broch_op_square(ops, off)), broch_int(8)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("saliency")
