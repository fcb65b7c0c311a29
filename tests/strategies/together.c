/* together.c: two numbers from 1.0 in costs that all towers have a part in. In tower i, with the
 * mean x_i of its data: cost = mean(v * x) * x_i + sum(w * x) * x_i, where mean and sum are over
 * towers. */
#include "number.h"

static broch_tensor reduced(tower_self* self, broch_tower tower, broch_tensor x, int32_t mode) {
  broch_tensor result = 0;
  if (self->ops.status == BROCH_OK)
    self->ops.status = self->tower->all_reduce(self->host, tower, x, mode, &result);
  return result;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const broch_tensor x = mean(self, inputs[0]);
  const broch_tensor v = number(self, tower, "v"), w = number(self, tower, "w");
  const broch_tensor a = reduced(self, tower, broch_op_mul(ops, v, x), BROCH_REDUCE_MEAN);
  const broch_tensor b = reduced(self, tower, broch_op_mul(ops, w, x), BROCH_REDUCE_SUM);
  publish(self, tower, "a", a);
  publish(self, tower, "b", b);
  *cost = publish(self, tower, "cost", broch_op_mul(ops, add(self, a, b), x));
  return BROCH_OK;
}

CONFORMANCE_TOWER("together")
