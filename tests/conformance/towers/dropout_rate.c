/* dropout_rate.c: dropout whose rate is a hyper-parameter that a setter changes during training. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor rate = 0, keep, mask;
  broch_tensor w = variable(self, tower, "W", 8, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  if (ops->status == BROCH_OK) ops->status = self->hyper->declare(self->host, "dropout_rate", 0.25);
  if (ops->status == BROCH_OK)
    ops->status = self->hyper->tensor(self->host, tower, "dropout_rate", &rate);
  keep = broch_op_to_dtype(ops, broch_op_rsub_scalar(ops, rate, broch_double(1), broch_int(1)),
                           BROCH_FLOAT32, 0, 0);
  mask = broch_op_to_dtype(ops, broch_op_lt(ops, broch_op_rand_like(ops, y, 0), keep),
                           BROCH_FLOAT32, 0, 0);
  publish(self, tower, "mask", mask);
  *cost = publish(
      self, tower, "cost",
      mean(self, broch_op_square(ops, broch_op_div(ops, broch_op_mul(ops, y, mask), keep))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("dropout-rate")
