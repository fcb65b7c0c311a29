/* sorting.c: sort and topk among equal values, whose indices feed later operators. Goes wrong when
 * indices are taken for constants or when a kernel orders ties otherwise than the recorded one. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor sorted[2], top[2];
  broch_tensor w = variable(self, tower, "W", 6, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0);
  broch_tensor coarse = broch_op_relu(ops, y); /* many zeros */
  broch_op_sort(ops, coarse, 1, 1, sorted);
  broch_op_topk(ops, coarse, 4, 1, 1, 1, top);
  publish(self, tower, "order", sorted[1]);
  publish(self, tower, "best", top[1]);
  *cost = publish(self, tower, "cost",
                  add(self, mean(self, broch_op_square(ops, broch_op_gather(ops, y, 1, top[1], 0))),
                      mean(self, broch_op_square(ops, broch_op_cumsum(ops, sorted[0], 1, 0)))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("sorting")
