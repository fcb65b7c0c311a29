/* no_grad.c: a part without gradients whose results scale the rest, published from inside. Goes
 * wrong when the part is recorded with a backward, or when its operators are dropped with it. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor norm;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  if (ops->status == BROCH_OK) ops->status = self->autograd->no_grad_push(self->host);
  norm = broch_op_sqrt(ops, broch_op_sum(ops, broch_op_square(ops, w), 0));
  norm = publish(self, tower, "norm", norm);
  if (ops->status == BROCH_OK) ops->status = self->autograd->no_grad_pop(self->host);
  *cost =
      publish(self, tower, "cost", mean(self, broch_op_square(ops, broch_op_div(ops, y, norm))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("no-grad")
