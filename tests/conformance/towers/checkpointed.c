/* checkpointed.c: recompute.c without formulas: backward tracks what it kept, computes the forward
 * pass again and differentiates that. Goes wrong when a gradient inside a gradient is recorded out
 * of order, or when backward computes without gradients all the same. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_tensor hidden(tower_self* self, broch_tensor x, broch_tensor w) {
  broch_opset* ops = &self->ops;
  return broch_op_sigmoid(
      ops, broch_op_linear(ops, broch_op_tanh(ops, broch_op_linear(ops, x, w, 0)), w, 0));
}

static broch_status forward(void* self_, broch_saved saved, const broch_tensor* inputs, uint32_t n,
                            broch_tensor* outputs) {
  tower_self* self = (tower_self*)self_;
  if (self->ops.status == BROCH_OK)
    self->ops.status = self->autograd->save(self->host, saved, inputs, n);
  outputs[0] = hidden(self, inputs[0], inputs[1]);
  return self->ops.status;
}

static broch_status backward(void* self_, broch_saved saved, const broch_tensor* grad_outputs,
                             broch_tensor* grad_inputs, uint32_t n) {
  tower_self* self = (tower_self*)self_;
  broch_opset* ops = &self->ops;
  broch_tensor x = 0, w = 0, y;
  (void)n;
  if (ops->status == BROCH_OK) ops->status = self->autograd->saved(self->host, saved, 0, &x);
  if (ops->status == BROCH_OK) ops->status = self->autograd->saved(self->host, saved, 1, &w);
  if (ops->status == BROCH_OK) ops->status = self->autograd->track(self->host, w, &w);
  y = hidden(self, x, w);
  if (ops->status == BROCH_OK)
    ops->status = self->autograd->grad(self->host, &y, 1, &w, 1, grad_outputs, 0, &grad_inputs[1]);
  return ops->status;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_custom_function function = {
      sizeof(broch_custom_function), 1, "checkpointed", forward, backward, NULL};
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL), y = 0;
  broch_tensor arguments[2];
  arguments[0] = inputs[0];
  arguments[1] = w;
  if (ops->status == BROCH_OK)
    ops->status = self->autograd->apply(self->host, &function, self, arguments, 2, &y);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, y)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("checkpointed")
