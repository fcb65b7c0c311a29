/* embedding.c: rows of a table, several of them repeated in a batch, whose gradients add up. Goes
 * wrong when indices are baked in, or when rows that no index names keep an earlier step's
 * gradient because the buffer was not cleared. */
#include "tower.h"

static const int64_t kShapeIndex[1] = {-1};
static const char* const kDimsIndex[1] = {"B"};
#define INPUTS \
  { "index", kShapeIndex, kDimsIndex, 1, BROCH_INT64, 0, 0 }

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor table = variable(self, tower, "table", 9, 3, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor padded = variable(self, tower, "padded", 9, 3, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor rows =
      publish(self, tower, "rows", broch_op_embedding(ops, table, inputs[0], -1, 0, 0));
  broch_tensor others = broch_op_embedding(ops, padded, inputs[0], 2, 1, 0);
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, add(self, rows, broch_op_tanh(ops, others)))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("embedding")
