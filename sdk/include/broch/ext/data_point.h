/* ext/data_point.h: fills and reads data points.
 *
 * A data point is a list of tensors in plain memory, either in the order of the signature or each
 * with the name of an input, and optionally a cursor. */
#ifndef BROCH_EXT_DATA_POINT_H
#define BROCH_EXT_DATA_POINT_H

#include "../dlpack.h"
#include "../host.h"
#include "../role/dataflow.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_DATA_POINT "broch.data_point/1"

typedef struct broch_host_data_point {
  uint32_t struct_size;
  uint32_t reserved;

  /* Adds a tensor: add_copy copies it; add takes the memory (the host calls the deleter, even on
   * failure). name: NULL in a point without names. [any] */
  broch_status (*add_copy)(const broch_host* host, broch_point point, const char* name,
                           const broch_dl_tensor* data);
  broch_status (*add)(const broch_host* host, broch_point point, const char* name,
                      broch_dl_managed* data);

  /* Sets the cursor, which means "continue after this point": at most BROCH_CURSOR_SIZE_MAX bytes,
   * copied. [any] */
  broch_status (*set_cursor)(const broch_host* host, broch_point point, const void* cursor,
                             uint64_t size);

  /* Reading. count: the number of tensors. view: one of them, borrowed until the point is cleared
   * or freed. name: its name, or NULL. cursor: size 0 if there is none. [any] */
  broch_status (*count)(const broch_host* host, broch_point point, uint32_t* count /* out */);
  broch_status (*view)(const broch_host* host, broch_point point, uint32_t index,
                       broch_dl_tensor* view /* out */);
  broch_status (*name)(const broch_host* host, broch_point point, uint32_t index,
                       const char** name /* out */);
  broch_status (*cursor)(const broch_host* host, broch_point point, const void** cursor /* out */,
                         uint64_t* size /* out */);

  /* Data points of the plugin's own, to read from children and for queues. Owned; usable on all
   * threads of the instance, by one at a time. move transfers the content without copying, and
   * empties from. [any] */
  broch_status (*point_new)(const broch_host* host, broch_point* point /* out */);
  broch_status (*point_clear)(const broch_host* host, broch_point point);
  broch_status (*point_move)(const broch_host* host, broch_point from, broch_point to);
  broch_status (*point_free)(const broch_host* host, broch_point point);

  /* The content as tensors in the order of the model's signature, checked against it (number,
   * names, dtypes, known and named dimensions). n is the number of inputs. [main] [step] */
  broch_status (*tensors)(const broch_host* host, broch_point point,
                          broch_tensor* tensors /* out */, uint32_t n);

  /* Tells when a signal or the end of the run asks to give up, for reading from children outside of
   * next. A callback or a run_step that is cancelled returns BROCH_CANCELLED. Borrowed, valid as
   * long as the instance. [any] */
  const broch_cancel* (*cancel)(const broch_host* host);
} broch_host_data_point;

BROCH_C_END

#endif
