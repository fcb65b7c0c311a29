/* masked_select.c: as many elements as the data says. Goes wrong when a replay writes them into a
 * buffer of the recorded size. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  broch_tensor chosen = broch_op_masked_select(
      ops, y, broch_op_gt_scalar(ops, broch_op_detach(ops, y), broch_int(0)));
  publish(self, tower, "chosen", chosen);
  *cost = publish(self, tower, "cost", broch_op_sum(ops, broch_op_square(ops, chosen), 0));
  return BROCH_OK;
}

CONFORMANCE_TOWER("masked-select")
