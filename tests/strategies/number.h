/* number.h: towers whose weights are single numbers, on data points x of any length. */
#pragma once
#include "conformance/towers/tower.h"

static const int64_t kShape[1] = {-1};
static const char* const kDims[1] = {"B"};
#define INPUTS \
  { "x", kShape, kDims, 1, BROCH_FLOAT32, 0, 0 }

/* A trainable number from 1.0. */
static broch_tensor number(tower_self* self, broch_tower tower, const char* name) {
  broch_variable_spec spec;
  broch_variable handle = 0;
  broch_tensor value = 0;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.flags = BROCH_VARIABLE_TRAINABLE;
  spec.initializer = BROCH_INIT_CONSTANT;
  spec.a = 1;
  if (self->ops.status == BROCH_OK)
    self->ops.status = self->variables->get(self->host, tower, name, &spec, &handle, &value);
  return value;
}
