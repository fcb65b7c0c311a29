/* boolean_index.c: indexing by a mask: the shape depends on the data, and the operator that finds
 * that out is called inside the kernel of index, where a recorder above kernels does not see it.
 * Goes wrong when an operator's tags alone decide whether it may be replayed. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_value arguments[2];
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), chosen;
  broch_tensor mask = broch_op_gt_scalar(ops, broch_op_detach(ops, y), broch_int(0));
  arguments[0] = broch_of(y);
  arguments[1] = broch_tensors(&mask, 1);
  chosen = raw(self, "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", arguments, 2);
  publish(self, tower, "chosen", chosen);
  *cost = publish(self, tower, "cost", broch_op_sum(ops, broch_op_square(ops, chosen), 0));
  return BROCH_OK;
}

CONFORMANCE_TOWER("boolean-index")
