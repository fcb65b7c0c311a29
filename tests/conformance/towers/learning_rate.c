/* learning_rate.c: the learning rate as an expression of the step, written by the tower into the
 * optimizer's own hyper-parameter. Goes wrong when the update program keeps the rate it was
 * recorded with, or reads a copy of the number on the host that nobody wrote. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_variable rate = 0;
  broch_tensor step = 0, slower;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  if (ops->status == BROCH_OK)
    ops->status = self->hyper->declare(self->host, "learning_rate", 0.25);
  if (ops->status == BROCH_OK)
    ops->status = self->variables->find(self->host, "learning_rate", &rate);
  if (ops->status == BROCH_OK)
    ops->status = self->hyper->tensor(self->host, tower, "global_step", &step);
  slower = broch_op_add_scalar(
      ops,
      broch_op_mul_scalar(ops, broch_op_to_dtype(ops, step, BROCH_FLOAT64, 0, 0),
                          broch_double(0.125)),
      broch_int(40), broch_int(1));
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, broch_op_linear(ops, inputs[0], w, 0))));
  update(self, tower, rate, broch_op_reciprocal(ops, slower), "cost");
  return BROCH_OK;
}

CONFORMANCE_TOWER("learning-rate")
