/* complex.c: complex views of real memory, a conjugate that is only a bit of a view, and an
 * imaginary part of it that is only negated when read. Goes wrong when views are rebuilt without
 * their conj and neg bits. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t shape[3] = {-1, 2, 2};
  broch_value argument;
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_view(ops, broch_op_linear(ops, inputs[0], w, 0), shape, 3), z, product;
  argument = broch_of(y);
  z = raw(self, "aten::view_as_complex(Tensor(a) self) -> Tensor(a)", &argument, 1);
  product = broch_op_mul(ops, broch_op_conj(ops, z), broch_op_mul(ops, z, z));
  publish(self, tower, "real", broch_op_real(ops, broch_op_conj(ops, product)));
  publish(self, tower, "imaginary", broch_op_clone(ops, broch_op_imag(ops, broch_op_conj(ops, z))));
  *cost = publish(
      self, tower, "cost",
      add(self, mean(self, broch_op_square(ops, broch_op_real(ops, product))),
          mean(self, broch_op_square(ops, broch_op_imag(ops, broch_op_conj(ops, product))))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("complex")
