/* quantized.c: a weight rounded to three bits on every read, whose gradient passes straight through
 * (DoReFa): a custom function of operators. Goes wrong when the rounded weight is folded into a
 * constant, or when the derivative is that of round, which is zero. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status forward(void* self_, broch_saved saved, const broch_tensor* inputs, uint32_t n,
                            broch_tensor* outputs) {
  broch_opset* ops = &((tower_self*)self_)->ops;
  (void)saved;
  (void)n;
  outputs[0] = broch_op_div_scalar(
      ops, broch_op_round(ops, broch_op_mul_scalar(ops, inputs[0], broch_int(7))), broch_int(7));
  return ops->status;
}

static broch_status backward(void* self_, broch_saved saved, const broch_tensor* grad_outputs,
                             broch_tensor* grad_inputs, uint32_t n) {
  (void)self_;
  (void)saved;
  (void)n;
  grad_inputs[0] = grad_outputs[0];
  return BROCH_OK;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_custom_function function = {
      sizeof(broch_custom_function), 1, "quantize", forward, backward, NULL};
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL), rounded = 0;
  if (ops->status == BROCH_OK)
    ops->status = self->autograd->apply(self->host, &function, self, &w, 1, &rounded);
  publish(self, tower, "rounded", rounded);
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, broch_op_linear(ops, inputs[0], rounded, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("quantized")
