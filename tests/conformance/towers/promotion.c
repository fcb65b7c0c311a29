/* promotion.c: dtypes that promote each other, and numbers that do not: a 0-dim float64 tensor
 * leaves float32 alone while one of one dimension does not. Goes wrong when a folded or re-wrapped
 * number promotes, or a fused chain computes in another precision. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor count = broch_op_arange(ops, broch_int(4), BROCH_INT64), doubled, whole, mixed,
               third = 0;
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  if (ops->status == BROCH_OK) ops->status = self->hyper->declare(self->host, "third", 1.0 / 3);
  if (ops->status == BROCH_OK)
    ops->status = self->hyper->tensor(self->host, tower, "third", &third);
  doubled = broch_op_mul(ops, broch_op_to_dtype(ops, y, BROCH_FLOAT64, 0, 0), third);
  whole = broch_op_to_dtype(ops, broch_op_mul_scalar(ops, broch_op_detach(ops, y), broch_int(100)),
                            BROCH_INT64, 0, 0);
  mixed = add(self, broch_op_mul(ops, y, third), broch_op_mul(ops, y, count));
  publish(self, tower, "doubled", doubled);
  publish(self, tower, "whole",
          broch_op_mul(ops, whole, broch_op_add_scalar(ops, count, broch_int(1), broch_int(3))));
  publish(self, tower, "mixed", mixed);
  publish(self, tower, "ratio", broch_op_div_scalar(ops, whole, broch_int(7)));
  *cost =
      publish(self, tower, "cost",
              broch_op_to_dtype(ops, mean(self, broch_op_square(ops, add(self, doubled, mixed))),
                                BROCH_FLOAT32, 0, 0));
  return BROCH_OK;
}

CONFORMANCE_TOWER("promotion")
