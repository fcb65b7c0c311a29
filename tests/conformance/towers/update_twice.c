/* update_twice.c: one variable written twice in a call, read between and after; another swapped
 * with it. Goes wrong when the last write does not win, when writes are committed one by one so
 * that a swap reads what it wrote, or when an update of a variable with itself is pruned. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_variable first = 0, second = 0;
  broch_tensor between = 0, after = 0;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor a = variable(self, tower, "a", 3, 0, 1, BROCH_VARIABLE_MODEL, &first);
  broch_tensor b = variable(self, tower, "b", 3, 0, 2, BROCH_VARIABLE_MODEL, &second);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  const int64_t rows[1] = {0};
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, add(self, y, a))));
  update(self, tower, first, broch_op_detach(ops, broch_op_mean_dim(ops, y, rows, 1, 0, 0)),
         "cost");
  if (ops->status == BROCH_OK)
    ops->status = self->variables->read(self->host, tower, first, &between);
  publish(self, tower, "between", between);
  update(self, tower, first, b, "cost");
  update(self, tower, second, add(self, a, broch_op_mul_scalar(ops, between, broch_double(0.5))),
         "cost");
  if (ops->status == BROCH_OK)
    ops->status = self->variables->read(self->host, tower, first, &after);
  publish(self, tower, "after", after);
  return BROCH_OK;
}

CONFORMANCE_TOWER("update-twice")
