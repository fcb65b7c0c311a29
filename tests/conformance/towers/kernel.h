/* kernel.h: towers with host code in them. */
#ifndef CONFORMANCE_KERNEL_H
#define CONFORMANCE_KERNEL_H

#include "tower.h"

/* Outputs; zeros after a failure. user is the tower's self. */
static inline void run_kernel(tower_self* self, broch_tower tower, const broch_kernel* kernel,
                              const broch_tensor* inputs, uint32_t n, broch_tensor* outputs,
                              uint32_t m) {
  const broch_host_kernel* table =
      (const broch_host_kernel*)self->host->get_extension(self->host, BROCH_EXT_KERNEL);
  memset(outputs, 0, m * sizeof *outputs);
  if (self->ops.status == BROCH_OK)
    self->ops.status = table->call(self->host, tower, kernel, self, inputs, n, outputs, m);
}

static inline const float* floats(const broch_dl_tensor* tensor) {
  return (const float*)tensor->data;
}

static inline int64_t elements(const broch_dl_tensor* tensor) {
  int64_t count = 1;
  int32_t i;
  for (i = 0; i < tensor->ndim; ++i) count *= tensor->shape[i];
  return count;
}

/* A float32 scalar as the only output. */
static inline broch_status one_float(void* user, const broch_kernel_type* inputs, uint32_t n,
                                     broch_kernel_type* outputs, uint32_t m) {
  (void)user;
  (void)inputs;
  (void)n;
  (void)m;
  outputs[0].dtype = BROCH_FLOAT32;
  return BROCH_OK;
}

#endif
