/* kernel_state.c: host code that counts how often it is called, and host code that prints and
 * answers nothing, in a tower with a moving summary. Goes wrong when a step calls it twice, a
 * replay leaves it out, or something besides the steps calls it. */
#include <broch/ext/summary.h>
#include <stdio.h>

#include "kernel.h"

#define INPUTS INPUT_X

static double counted; /* a tower function keeps no state; a stateful kernel does */

static broch_status count(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                          uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  (void)user;
  (void)call;
  (void)inputs;
  (void)n;
  (void)m;
  *(float*)outputs[0].data = (float)++counted;
  return BROCH_OK;
}

static broch_status print(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                          uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  tower_self* self = (tower_self*)user;
  char text[64];
  (void)call;
  (void)n;
  (void)outputs;
  (void)m;
  snprintf(text, sizeof text, "the kernel prints %.9g", (double)floats(&inputs[0])[0]);
  self->host->log(self->host, BROCH_LOG_INFO, text);
  return BROCH_OK;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_kernel counter = {
      sizeof(broch_kernel), BROCH_KERNEL_STATEFUL, "counter", one_float, count, NULL};
  static const broch_kernel printer = {
      sizeof(broch_kernel), BROCH_KERNEL_STATEFUL, "printer", NULL, print, NULL};
  broch_opset* ops = &self->ops;
  const broch_host_summary* summary =
      (const broch_host_summary*)self->host->get_extension(self->host, BROCH_EXT_SUMMARY);
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_square(ops, broch_op_linear(ops, inputs[0], w, 0)), number = 0,
               none = 0;
  broch_tensor sum = broch_op_sum(ops, y, 0);
  run_kernel(self, tower, &counter, NULL, 0, &number, 1);
  run_kernel(self, tower, &printer, &sum, 1, &none, 0);
  publish(self, tower, "calls", number);
  if (ops->status == BROCH_OK)
    ops->status = summary->moving(self->host, tower, "moving", sum, 0.95);
  *cost = publish(self, tower, "cost", broch_op_div(ops, mean(self, y), number));
  return BROCH_OK;
}

CONFORMANCE_TOWER("kernel-state")
