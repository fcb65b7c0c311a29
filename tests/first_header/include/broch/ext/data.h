/* ext/data.h: filling and reading data points.
 *
 * A point is a list of tensors in plain memory, in the order of the signature or each with the name
 * of an input, and an optional cursor. */
#ifndef BROCH_EXT_DATA_H
#define BROCH_EXT_DATA_H

#include "../dlpack.h"
#include "../host.h"
#include "../role/dataflow.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_DATA "broch.data/1"

typedef struct broch_data {
  uint32_t struct_size;
  uint32_t reserved;

  /* Adds a component: a copy of data, or memory that is taken (the host calls the deleter, on
   * failure too). name: NULL for a list. [any] */
  broch_status (*add_copy)(const broch_host* host, broch_point point, const char* name,
                           const broch_dl_tensor* data);
  broch_status (*add)(const broch_host* host, broch_point point, const char* name,
                      broch_dl_managed* data);

  /* Sets "continue after this point", at most BROCH_CURSOR_SIZE_MAX bytes, copied. [any] */
  broch_status (*set_cursor)(const broch_host* host, broch_point point, const void* cursor,
                             uint64_t size);

  /* Reading: number of components, one as a view (borrowed until the point is cleared or freed),
   * its name or NULL, the cursor (size 0: none). [any] */
  broch_status (*count)(const broch_host* host, broch_point point, uint32_t* count /* out */);
  broch_status (*view)(const broch_host* host, broch_point point, uint32_t index,
                       broch_dl_tensor* view /* out */);
  broch_status (*name)(const broch_host* host, broch_point point, uint32_t index,
                       const char** name /* out */);
  broch_status (*cursor)(const broch_host* host, broch_point point, const void** cursor /* out */,
                         uint64_t* size /* out */);

  /* Points of a plugin's own, for driving children and for queues: owned, usable on all threads of
   * the instance, one at a time. move empties from into to without copying. [any] */
  broch_status (*point_new)(const broch_host* host, broch_point* point /* out */);
  broch_status (*point_clear)(const broch_host* host, broch_point point);
  broch_status (*point_move)(const broch_host* host, broch_point from, broch_point to);
  broch_status (*point_free)(const broch_host* host, broch_point point);

  /* The components as tensors in the order of the model's signature, checked against it (count,
   * names, dtypes, known and named dimensions). n is the number of inputs. [main] [step] */
  broch_status (*tensors)(const broch_host* host, broch_point point, broch_tensor* tensors /* out */,
                          uint32_t n);

  /* A cancel object that is never cancelled except by the end of the run, for driving children
   * outside next. Borrowed, valid as long as the instance. [any] */
  const broch_cancel* (*cancel)(const broch_host* host);
} broch_data;

BROCH_C_END

#endif
