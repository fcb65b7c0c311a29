/* slope.c: one number w from 1.0 and cost = w * mean(x), so that a tower's gradient is the mean of
 * its own data. */
#include "number.h"

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_tensor w = number(self, tower, "w");
  *cost = publish(self, tower, "cost", broch_op_mul(&self->ops, w, mean(self, inputs[0])));
  return BROCH_OK;
}

CONFORMANCE_TOWER("slope")
