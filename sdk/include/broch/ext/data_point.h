/* ext/data_point.h: fills and reads data points.
 *
 * A data point is a list of tensors in plain memory (its components), either in the order of the
 * signature or each with the name of an input. It may have a cursor, and it has a key: 64 bits that
 * identify the sample in its round. What moves a point on keeps the key; a point that is made of
 * several has that of the first.
 *
 * A batch without a copy: row_begin makes a point of the plugin's own a row of a batch, and what a
 * dataflow or a transform then puts into that point is written into the memory of the batch. Rows
 * can be filled on several threads at once. rows_end completes the batch. */
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

  /* Adds a tensor whose memory the host provides, compact, aligned to 64 bytes in a point that is
   * no row, not initialized; data is to be filled during the call. Of like, dtype, ndim and shape
   * are read. If the point is a row, the memory lies in the batch. INVALID_ARGUMENT: another row of
   * the batch has another dtype or shape. [any] */
  broch_status (*allocate)(const broch_host* host, broch_point point, const char* name,
                           const broch_dl_tensor* like, void** data /* out */);

  /* Adds component index of from to the point to, under its own name; it counts as taken in from:
   * it can no longer be viewed. Copies only if to is a row. [any] */
  broch_status (*move_component)(const broch_host* host, broch_point from, uint32_t index,
                                 broch_point to);

  /* The key. 0: none was set. [any] */
  broch_status (*key)(const broch_host* host, broch_point point, uint64_t* key /* out */);
  broch_status (*set_key)(const broch_host* host, broch_point point, uint64_t key);

  /* In apply of a transform with BROCH_TRANSFORM_MANY: passes the content of out on as one point,
   * and empties out. emitted moves the oldest point that was emitted into out to the point to.
   * BROCH_NONE: there is none left. [any] */
  broch_status (*emit)(const broch_host* host, broch_point out);
  broch_status (*emitted)(const broch_host* host, broch_point out, broch_point to);

  /* Makes row, which was made with point_new, row index (counted from 0) of batch, which gets room
   * for n rows. A row that was begun with the same point before is complete. [any] */
  broch_status (*row_begin)(const broch_host* host, broch_point batch, uint64_t index, uint64_t n,
                            broch_point row);
  /* Completes the batch, with the first count rows: their tensors get a new first dimension. All of
   * these rows must have been begun, and must agree in number, names, dtypes and shapes of their
   * tensors; otherwise INVALID_ARGUMENT. The batch gets the key of the first row and the cursor of
   * the last one; its rows are ordinary, empty points again. count 0: batch is empty. [any] */
  broch_status (*rows_end)(const broch_host* host, broch_point batch, uint64_t count);

  /* Begins to copy the tensors of a point, which this training tower will take in a later step, to
   * the tower's device, and returns while the copy goes on. Nothing is done for a tower on the CPU.
   * Afterwards view describes memory of the device. Operators of the host wait for the copy; others
   * that read the memory first call synchronize of ext/device.h. FAILED_PRECONDITION: the point is
   * a row of a batch. [any] */
  broch_status (*stage)(const broch_host* host, broch_point point, uint32_t tower);
} broch_host_data_point;

BROCH_C_END

#endif
