/* nms.c: rows that pass a threshold go on, as boxes after suppression: nonzero and index_select.
 * Goes wrong when a replay uses the rows of the recorded data point. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  broch_tensor score = broch_op_select(ops, inputs[0], 1, 0);
  broch_tensor rows =
      broch_op_squeeze(ops, broch_op_nonzero(ops, broch_op_gt_scalar(ops, score, broch_int(0))), 1);
  broch_tensor kept = publish(self, tower, "kept", broch_op_index_select(ops, y, 0, rows));
  *cost = publish(self, tower, "cost", broch_op_sum(ops, broch_op_square(ops, kept), 0));
  return BROCH_OK;
}

CONFORMANCE_TOWER("nms")
