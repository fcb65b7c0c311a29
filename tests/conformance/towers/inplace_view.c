/* inplace_view.c: a write through a view of an activation, read later through the whole and through
 * another view that overlaps it. Goes wrong when the write is pruned because nobody uses its
 * result, or when a view of the same buffer is read before or from a copy. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_value arguments[3];
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_mul_scalar(ops, broch_op_linear(ops, inputs[0], w, 0), broch_int(2));
  broch_tensor before = publish(self, tower, "before", broch_op_clone(ops, y));
  broch_tensor left = broch_op_narrow(ops, y, 1, 0, 2), middle = broch_op_narrow(ops, y, 1, 1, 2);
  arguments[0] = broch_of(left);
  arguments[1] = broch_double(3);
  raw(self, "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", arguments, 2);
  publish(self, tower, "middle", middle);
  arguments[0] = broch_of(broch_op_t(ops, middle));
  arguments[1] = broch_of(broch_op_select(ops, inputs[0], 1, 3));
  arguments[2] = broch_int(1);
  raw(self, "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
      arguments, 3);
  publish(self, tower, "y", y);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, sub(self, y, before))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("inplace-view")
