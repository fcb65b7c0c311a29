/* kernel_second.c: y^3 / 3 in C, and its first and second derivative, so that a gradient can be
 * part of the cost. Goes wrong when the second derivative is taken for zero. With FIRST_ONLY it is
 * not there, and asking for it is an error. */
#include "kernel.h"

#define INPUTS INPUT_X

static broch_status cube(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                         uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  const float* y = floats(&inputs[0]);
  int64_t i;
  (void)user;
  (void)call;
  (void)n;
  (void)m;
  for (i = 0; i < elements(&inputs[0]); ++i) ((float*)outputs[0].data)[i] = y[i] * y[i] * y[i] / 3;
  return BROCH_OK;
}

/* y, cube, gradient to gradient of y. */
static broch_status first(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                          uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  const float *y = floats(&inputs[0]), *gradient = floats(&inputs[2]);
  int64_t i;
  (void)user;
  (void)call;
  (void)n;
  (void)m;
  for (i = 0; i < elements(&inputs[0]); ++i)
    ((float*)outputs[0].data)[i] = y[i] * y[i] * gradient[i];
  return BROCH_OK;
}

#ifdef FIRST_ONLY
#define TOWER "kernel-first"
#define SECOND NULL
#else
#define TOWER "kernel-second"
#define SECOND &backward_twice
/* y, cube, gradient, what first made of them, and the gradient of that, to three gradients. */
static broch_status second(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                           uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  const float *y = floats(&inputs[0]), *gradient = floats(&inputs[2]), *seed = floats(&inputs[4]);
  int64_t i;
  (void)user;
  (void)call;
  (void)n;
  (void)m;
  for (i = 0; i < elements(&inputs[0]); ++i) {
    ((float*)outputs[0].data)[i] = 2 * y[i] * gradient[i] * seed[i];
    ((float*)outputs[1].data)[i] = 0;
    ((float*)outputs[2].data)[i] = y[i] * y[i] * seed[i];
  }
  return BROCH_OK;
}
static const broch_kernel backward_twice = {
    sizeof(broch_kernel), BROCH_KERNEL_PURE, "second", NULL, second, NULL};
#endif

/* The mean of the squared slope: of y^4. */
static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_kernel backward = {
      sizeof(broch_kernel), BROCH_KERNEL_PURE, "first", NULL, first, SECOND};
  static const broch_kernel kernel = {
      sizeof(broch_kernel), BROCH_KERNEL_PURE, "cube", NULL, cube, &backward};
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), cubes, sum, slope = 0;
  run_kernel(self, tower, &kernel, &y, 1, &cubes, 1);
  sum = broch_op_sum(ops, cubes, 0);
  if (ops->status == BROCH_OK)
    ops->status =
        self->autograd->grad(self->host, &sum, 1, &y, 1, NULL, BROCH_GRAD_CREATE_GRAPH, &slope);
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, slope)));
  return BROCH_OK;
}

CONFORMANCE_TOWER(TOWER)
