/* kernel_pure.c: host code without effects: one that nobody may want, one of a constant, one that
 * draws. Each says when it is called. Goes wrong when a replay calls the first two, or draws other
 * numbers than the eager step. */
#include "kernel.h"

#define INPUTS INPUT_X

static broch_status double_it(tower_self* self, const char* text, const broch_dl_tensor* input,
                              const broch_dl_tensor* output) {
  int64_t i;
  self->host->log(self->host, BROCH_LOG_INFO, text);
  for (i = 0; i < elements(input); ++i) ((float*)output->data)[i] = 2 * floats(input)[i];
  return BROCH_OK;
}

static broch_status unread(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                           uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  (void)call;
  (void)n;
  (void)m;
  return double_it((tower_self*)user, "unread is called", inputs, outputs);
}

static broch_status fixed(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                          uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  (void)call;
  (void)n;
  (void)m;
  return double_it((tower_self*)user, "fixed is called", inputs, outputs);
}

/* Not a good generator. */
static broch_status noise(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                          uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  const uint64_t bits = (call->draw_key + call->draw_counter) * 0x9E3779B97F4A7C15u;
  (void)user;
  (void)inputs;
  (void)n;
  (void)m;
  *(float*)outputs[0].data = (float)(bits >> 40) / 16777216;
  return BROCH_OK;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_kernel kernels[3] = {
      {sizeof(broch_kernel), BROCH_KERNEL_PURE, "unread", NULL, unread, NULL},
      {sizeof(broch_kernel), BROCH_KERNEL_PURE, "fixed", NULL, fixed, NULL},
      {sizeof(broch_kernel), BROCH_KERNEL_RANDOM, "noise", one_float, noise, NULL}};
  broch_opset* ops = &self->ops;
  float three = 3;
  broch_dl_tensor data;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), constant = 0, twice, six, first, second;
  memset(&data, 0, sizeof data);
  data.data = &three;
  data.device.device_type = BROCH_DL_CPU;
  data.dtype.code = BROCH_DL_FLOAT;
  data.dtype.bits = 32;
  data.dtype.lanes = 1;
  if (ops->status == BROCH_OK)
    ops->status = self->tower->constant(self->host, tower, &data, &constant);
  run_kernel(self, tower, &kernels[0], &y, 1, &twice, 1);
  run_kernel(self, tower, &kernels[1], &constant, 1, &six, 1);
  run_kernel(self, tower, &kernels[2], NULL, 0, &first, 1);
  run_kernel(self, tower, &kernels[2], NULL, 0, &second, 1);
  publish(self, tower, "twice", twice);
  publish(self, tower, "first", first);
  publish(self, tower, "second", second);
  *cost = publish(self, tower, "cost",
                  broch_op_mul(ops, mean(self, broch_op_square(ops, add(self, y, first))), six));
  return BROCH_OK;
}

CONFORMANCE_TOWER("kernel-pure")
