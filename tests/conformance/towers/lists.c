/* lists.c: operators that take or give lists, one tensor twice in one list. Goes wrong when
 * arguments inside lists are not rebound to their buffers. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_value arguments[3];
  broch_tensor parts[4], product;
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), joined, stacked;
  arguments[0] = broch_of(y);
  arguments[1] = broch_int(1);
  raw_results(self, "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", arguments, 2,
              parts, 4);
  stacked = broch_op_stack(ops, parts, 4, 0);
  parts[1] = y;
  parts[2] = y;
  parts[0] = broch_op_tanh(ops, y);
  joined = publish(self, tower, "joined", broch_op_cat(ops, parts, 3, 1));
  parts[0] = stacked;
  parts[1] = broch_op_sigmoid(ops, y);
  arguments[0] = broch_str("ab,bc->ac");
  arguments[1] = broch_tensors(parts, 2);
  product = raw(self, "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
                arguments, 2);
  publish(self, tower, "product", product);
  *cost = publish(self, tower, "cost",
                  add(self, mean(self, broch_op_square(ops, joined)), mean(self, product)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("lists")
