/* kernel_loss.c: the loss is C code with a derivative in C, and answers int64 indices beside it.
 * Goes wrong when a replay leaves the code out, calls it with other memory, or hands a gradient to
 * the indices. */
#include <math.h>

#include "kernel.h"

#define INPUTS INPUT_X

static broch_status loss_shapes(void* user, const broch_kernel_type* inputs, uint32_t n,
                                broch_kernel_type* outputs, uint32_t m) {
  tower_self* self = (tower_self*)user;
  if (n != 1 || m != 2 || inputs[0].rank != 2 || inputs[0].dtype != BROCH_FLOAT32)
    return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT, "scores are a float32 matrix");
  outputs[0].dtype = BROCH_FLOAT32;
  outputs[1].dtype = BROCH_INT64;
  outputs[1].rank = 1;
  outputs[1].shape[0] = inputs[0].shape[0];
  return BROCH_OK;
}

/* The mean of log cosh, and the largest of each row. */
static broch_status loss(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                         uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  const float* scores = floats(&inputs[0]);
  const int64_t rows = inputs[0].shape[0], columns = inputs[0].shape[1];
  int64_t* best = (int64_t*)outputs[1].data;
  double sum = 0;
  int64_t i, j;
  (void)user;
  (void)call;
  (void)n;
  (void)m;
  for (i = 0; i < rows; ++i) {
    best[i] = 0;
    for (j = 0; j < columns; ++j) {
      sum += log(cosh((double)scores[i * columns + j]));
      if (scores[i * columns + j] > scores[i * columns + best[i]]) best[i] = j;
    }
  }
  *(float*)outputs[0].data = (float)(sum / (double)(rows * columns));
  return BROCH_OK;
}

/* Of scores, loss, best, and the gradients of the last two. */
static broch_status slope(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                          uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  tower_self* self = (tower_self*)user;
  const float* scores = floats(&inputs[0]);
  const int64_t count = elements(&inputs[0]);
  float* result = (float*)outputs[0].data;
  int64_t i;
  (void)call;
  if (n != 5 || m != 1 || inputs[3].dtype.bits != 32 || inputs[4].dtype.bits != 0)
    return self->host->fail(self->host, BROCH_E_INTERNAL, "not the tensors of a derivative");
  for (i = 0; i < count; ++i)
    result[i] = (float)(tanh((double)scores[i]) * floats(&inputs[3])[0] / (double)count);
  return BROCH_OK;
}

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  static const broch_kernel backward = {
      sizeof(broch_kernel), BROCH_KERNEL_PURE, "log-cosh slope", NULL, slope, NULL};
  static const broch_kernel kernel = {
      sizeof(broch_kernel), BROCH_KERNEL_PURE, "log-cosh", loss_shapes, loss, &backward};
  broch_opset* ops = &self->ops;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL), results[2];
  /* Scores that are the transpose of a matrix: not row-major. */
  broch_tensor scores = broch_op_transpose(ops, broch_op_linear(ops, w, inputs[0], 0), 0, 1);
  run_kernel(self, tower, &kernel, &scores, 1, results, 2);
  publish(self, tower, "best", results[1]);
  *cost = publish(self, tower, "cost", results[0]);
  return BROCH_OK;
}

CONFORMANCE_TOWER("kernel-loss")
