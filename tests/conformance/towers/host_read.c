/* host_read.c: a value read on the host decides what is computed: legal, logged once, never
 * recorded. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  double total = 0;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  if (ops->status == BROCH_OK)
    ops->status = self->tensor->item(self->host, broch_op_sum(ops, inputs[0], 0), &total);
  y = total > 0 ? broch_op_relu(ops, y) : broch_op_neg(ops, y);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, y)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("host-read")
