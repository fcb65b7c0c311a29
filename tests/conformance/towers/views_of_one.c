/* views_of_one.c: several published names that are views of one buffer, two of them equal. Goes
 * wrong when a buffer is reused after the last read of one view while another is still fetched. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_value arguments[3];
  broch_tensor parts[2];
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  arguments[0] = broch_of(y);
  arguments[1] = broch_int(2);
  arguments[2] = broch_int(1);
  raw_results(
      self, "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
      arguments, 3, parts, 2);
  publish(self, tower, "whole", y);
  publish(self, tower, "same", broch_op_detach(ops, y));
  publish(self, tower, "left", parts[0]);
  publish(self, tower, "right", parts[1]);
  publish(self, tower, "turned", broch_op_t(ops, parts[0]));
  *cost = publish(
      self, tower, "cost",
      mean(self, broch_op_square(ops, broch_op_mul(ops, broch_op_exp(ops, parts[0]), parts[1]))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("views-of-one")
