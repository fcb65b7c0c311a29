/* raw.h: operators outside broch.opset/1, by the text of their schema. */
#ifndef CONFORMANCE_RAW_H
#define CONFORMANCE_RAW_H

#include "tower.h"

/* The first results of one call; zeros after a failure. */
static inline void raw_results(tower_self* self, const char* schema, const broch_value* arguments,
                               uint32_t n, broch_tensor* results, uint32_t count) {
  broch_opset* ops = &self->ops;
  broch_value values[8];
  broch_op op = 0;
  uint32_t i;
  memset(values, 0, sizeof values);
  if (ops->status == BROCH_OK) ops->status = ops->table->resolve(self->host, schema, &op);
  if (ops->status == BROCH_OK)
    ops->status = ops->table->call(self->host, op, arguments, n, values, count);
  for (i = 0; i < count; ++i) results[i] = values[i].u.tensor;
}

static inline broch_tensor raw(tower_self* self, const char* schema, const broch_value* arguments,
                               uint32_t n) {
  broch_tensor result = 0;
  raw_results(self, schema, arguments, n, &result, 1);
  return result;
}

#endif
