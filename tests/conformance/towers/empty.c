/* empty.c: tensors without elements: a slice of no columns, its sum, its join with others, a mean
 * over no rows. Goes wrong when memory is identified by an address that empty buffers share. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor parts[3];
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  broch_tensor none = publish(self, tower, "none", broch_op_narrow(ops, y, 1, 1, 0));
  broch_tensor also_none = broch_op_narrow(ops, inputs[0], 1, 4, 0);
  parts[0] = broch_op_tanh(ops, none);
  parts[1] = y;
  parts[2] = broch_op_exp(ops, also_none);
  publish(self, tower, "joined", broch_op_cat(ops, parts, 3, 1));
  *cost =
      publish(self, tower, "cost",
              add(self, broch_op_sum(ops, broch_op_square(ops, broch_op_cat(ops, parts, 3, 1)), 0),
                  broch_op_sum(ops, broch_op_square(ops, none), 0)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("empty")
