/* ragged_batch.c: batches of different sizes: the last one of an epoch is smaller. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t first[1] = {0};
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  broch_tensor centered = sub(self, y, broch_op_mean_dim(ops, y, first, 1, 1, 0));
  publish(self, tower, "y", y);
  *cost = publish(self, tower, "cost", broch_op_sum(ops, broch_op_square(ops, centered), 0));
  return BROCH_OK;
}

CONFORMANCE_TOWER("ragged-batch")
