/* inplace_input.c: a write to a view of an input: an error that names it, in every mode. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_value arguments[2];
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  arguments[0] = broch_of(broch_op_narrow(ops, inputs[0], 1, 0, 2));
  arguments[1] = broch_double(0.5);
  raw(self, "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", arguments, 2);
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, broch_op_linear(ops, inputs[0], w, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("inplace-input")
