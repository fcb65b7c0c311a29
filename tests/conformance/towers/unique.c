/* unique.c: the number of distinct values of a batch is part of the cost. Goes wrong when a replay
 * keeps the number, or the shape, of the recorded data point. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_value arguments[4];
  broch_tensor found[3], share;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor whole = broch_op_round(ops, broch_op_mul_scalar(ops, inputs[0], broch_int(8)));
  arguments[0] = broch_of(whole);
  arguments[1] = broch_bool(1);
  arguments[2] = broch_bool(0);
  arguments[3] = broch_bool(1);
  raw_results(self,
              "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool "
              "return_counts=False) -> (Tensor, Tensor, Tensor)",
              arguments, 4, found, 3);
  publish(self, tower, "distinct", found[0]);
  share = mean(self, broch_op_to_dtype(ops, found[2], BROCH_FLOAT32, 0, 0));
  *cost = publish(
      self, tower, "cost",
      mean(self,
           broch_op_mul(ops, broch_op_square(ops, broch_op_linear(ops, inputs[0], w, 0)), share)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("unique")
