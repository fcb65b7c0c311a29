/* accumulation.c: gradients taken inside the tower and added up in a variable; the trainer applies
 * the sum every fourth step. Goes wrong when the inner gradient is not recorded, or when the sum
 * that an operation has set to zero is not what the next step reads. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_variable sum = 0;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor before = variable(self, tower, "sum", 2, 4, 0, BROCH_VARIABLE_LOCAL, &sum);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), slope = 0;
  broch_tower_info info;
  info.struct_size = sizeof info;
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, broch_op_tanh(ops, y))));
  if (ops->status == BROCH_OK) ops->status = self->tower->info(self->host, tower, &info);
  if (ops->status != BROCH_OK || !info.is_training) return BROCH_OK;
  if (ops->status == BROCH_OK)
    ops->status = self->autograd->grad(self->host, cost, 1, &w, 1, NULL, 0, &slope);
  publish(self, tower, "slope", slope);
  update(self, tower, sum, add(self, before, slope), "cost");
  return BROCH_OK;
}

CONFORMANCE_TOWER("accumulation")
