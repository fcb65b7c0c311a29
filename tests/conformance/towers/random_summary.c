/* random_summary.c: a summary that draws, computed at some steps only, before and between the draws
 * of the cost. Goes wrong when leaving it out shifts what the others draw. */
#include <broch/ext/summary.h>

#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const broch_host_summary* summary =
      (const broch_host_summary*)self->host->get_extension(self->host, BROCH_EXT_SUMMARY);
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  broch_tensor shown = mean(self, broch_op_mul(ops, y, broch_op_rand_like(ops, y, 0)));
  broch_tensor noise = broch_op_rand_like(ops, y, 0), more = broch_op_randn_like(ops, y, 0);
  broch_tensor spread = mean(self, broch_op_mul(ops, broch_op_randn_like(ops, y, 0), y));
  if (ops->status == BROCH_OK)
    ops->status = summary->add(self->host, tower, "shown", shown, BROCH_SHOW_SCALAR);
  if (ops->status == BROCH_OK)
    ops->status = summary->add(self->host, tower, "spread", spread, BROCH_SHOW_SCALAR);
  if (ops->status == BROCH_OK)
    ops->status = summary->moving(self->host, tower, "moving", mean(self, more), 0.95);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, add(self, y, noise))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("random-summary")
