/* apart.c: towers that do not make the same calls of all_reduce: the second one makes two. */
#include "number.h"

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_tower_info info;
  broch_tensor x = broch_op_mul(&self->ops, number(self, tower, "w"), mean(self, inputs[0]));
  uint32_t i;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  self->tower->info(self->host, tower, &info);
  for (i = 0; i <= info.index && self->ops.status == BROCH_OK; ++i)
    self->ops.status = self->tower->all_reduce(self->host, tower, x, BROCH_REDUCE_MEAN, &x);
  *cost = publish(self, tower, "cost", x);
  return BROCH_OK;
}

CONFORMANCE_TOWER("apart")
