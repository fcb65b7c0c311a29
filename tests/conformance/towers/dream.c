/* dream.c: a point that a callback's operation moves to where the network answers most, and the
 * slope of the network there; see dreamer.c. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor off;
  variable(self, tower, "dream", 1, 4, 0.5, BROCH_VARIABLE_MODEL, NULL);
  variable(self, tower, "slope", 3, 4, 0, BROCH_VARIABLE_MODEL, NULL);
  off = broch_op_sub_scalar(ops, broch_op_linear(ops, inputs[0], w, 0), broch_int(1), broch_int(1));
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, off)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("dream")
