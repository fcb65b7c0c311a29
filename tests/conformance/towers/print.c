/* print.c: host code that prints a value in the middle of the tower: legal, and it must go on
 * printing in every step. Goes wrong when a replay leaves the printing out. */
#include <stdio.h>

#include "tower.h"

#define INPUTS INPUT_X

static broch_status print(tower_self* self, broch_tensor value) {
  broch_dl_tensor view;
  char text[64];
  broch_status status = self->tensor->view(self->host, value, &view);
  if (status < 0) return status;
  snprintf(text, sizeof text, "the tower prints %.9g",
           (double)*(const float*)((const char*)view.data + view.byte_offset));
  self->host->log(self->host, BROCH_LOG_INFO, text);
  return status;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_square(ops, broch_op_linear(ops, inputs[0], w, 0));
  if (ops->status == BROCH_OK)
    ops->status = print(self, broch_op_detach(ops, broch_op_sum(ops, y, 0)));
  *cost = publish(self, tower, "cost", mean(self, y));
  return BROCH_OK;
}

CONFORMANCE_TOWER("print")
