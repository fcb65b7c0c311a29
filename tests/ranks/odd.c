/* odd.c: one number w, and on rank 1 alone another one. */
#include "strategies/number.h"

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  const char* const rank = getenv("RANK");
  broch_tensor w = number(self, tower, "w");
  if (rank != NULL && rank[0] == '1') w = add(self, w, number(self, tower, "odd"));
  *cost = publish(self, tower, "cost", broch_op_mul(&self->ops, w, mean(self, inputs[0])));
  return BROCH_OK;
}

CONFORMANCE_TOWER("odd")
