/* recompute.c: a custom function that keeps its inputs only and computes its forward pass again in
 * backward, with a gradient call inside. Goes wrong when operators of a backward that runs plugin
 * code are recorded out of order or on another thread. */
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

/* The slope of hidden at w by hand, from what is computed again: dh = g h (1 - h), and so on. */
static broch_status backward(void* self_, broch_saved saved, const broch_tensor* grad_outputs,
                             broch_tensor* grad_inputs, uint32_t n) {
  tower_self* self = (tower_self*)self_;
  broch_opset* ops = &self->ops;
  broch_tensor x = 0, w = 0, inner, outer, slope, through;
  (void)n;
  if (ops->status == BROCH_OK) ops->status = self->autograd->saved(self->host, saved, 0, &x);
  if (ops->status == BROCH_OK) ops->status = self->autograd->saved(self->host, saved, 1, &w);
  inner = broch_op_tanh(ops, broch_op_linear(ops, x, w, 0));
  outer = hidden(self, x, w);
  slope = broch_op_mul(
      ops, grad_outputs[0],
      broch_op_mul(ops, outer, broch_op_rsub_scalar(ops, outer, broch_int(1), broch_int(1))));
  through = broch_op_mul(
      ops, broch_op_mm(ops, slope, w),
      broch_op_rsub_scalar(ops, broch_op_square(ops, inner), broch_int(1), broch_int(1)));
  grad_inputs[1] = add(self, broch_op_mm(ops, broch_op_t(ops, slope), inner),
                       broch_op_mm(ops, broch_op_t(ops, through), x));
  return ops->status;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_custom_function function = {
      sizeof(broch_custom_function), 1, "recompute", forward, backward, NULL};
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

CONFORMANCE_TOWER("recompute")
