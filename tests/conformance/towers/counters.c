/* counters.c: a cost of float64 that contains a hyper-parameter, the step and the epoch. Goes wrong
 * when one of them is the number it was when the tower was recorded. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor weight = 0, step = 0, epoch = 0, counted;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = mean(self, broch_op_square(ops, broch_op_linear(ops, inputs[0], w, 0)));
  if (ops->status == BROCH_OK) ops->status = self->hyper->declare(self->host, "weight", 0.3);
  if (ops->status == BROCH_OK)
    ops->status = self->hyper->tensor(self->host, tower, "weight", &weight);
  if (ops->status == BROCH_OK)
    ops->status = self->hyper->tensor(self->host, tower, "global_step", &step);
  if (ops->status == BROCH_OK)
    ops->status = self->hyper->tensor(self->host, tower, "epoch_num", &epoch);
  counted = publish(self, tower, "counted",
                    add(self, broch_op_mul_scalar(ops, epoch, broch_int(1000)), step));
  *cost = publish(
      self, tower, "cost",
      broch_op_mul(ops, broch_op_mul(ops, broch_op_to_dtype(ops, y, BROCH_FLOAT64, 0, 0), weight),
                   broch_op_cos(ops, broch_op_to_dtype(ops, counted, BROCH_FLOAT64, 0, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("counters")
