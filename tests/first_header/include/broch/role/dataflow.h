/* role/dataflow.h: yields data points, finite or not. Seed term: DataFlow.
 *
 * A data point is a list of tensors in plain memory, in the order of the model's inputs, or each
 * with the name of an input (ext/data.h).
 *
 * Resuming: with each point a dataflow may set a cursor, an opaque text of its own of at most
 * 64 KiB that means "continue after this point". The host stores the cursor of the last point that
 * a tower consumed in the checkpoint. A dataflow that sets none is named at start: the run then
 * resumes, but not with the same bits. Source: tensorpack dataflow/base.py; T5, T6, T39. */
#ifndef BROCH_ROLE_DATAFLOW_H
#define BROCH_ROLE_DATAFLOW_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_DATAFLOW "broch.dataflow/1"
#define BROCH_CURSOR_SIZE_MAX 65536

/* How a source learns that the host is shutting down. Borrowed for the call. [any] */
typedef struct broch_cancel {
  void* context;
  int32_t (*cancelled)(void* context);                        /* 1 once asked to give up */
  int32_t (*wait)(void* context, int64_t timeout_nanoseconds); /* sleeps; 1 when asked to give up */
  int32_t (*event_fd)(void* context); /* becomes readable then; for poll(); never close it */
} broch_cancel;

typedef struct broch_dataflow {
  uint32_t struct_size;
  uint32_t reserved;

  /* (optional) Once, before the first open: files, seeds, threads. [main] */
  broch_status (*reset_state)(void* self);

  /* Starts an iteration from the beginning (cursor NULL, size 0) or continues after the point that
   * the cursor names. May come again at any time and then abandons the running iteration: a
   * dataflow without state of its own starts over, a shuffling one goes on to its next order.
   * [data] */
  broch_status (*open)(void* self, const void* cursor, uint64_t size);

  /* Fills point with the next data point. BROCH_END: the iteration is over, point untouched.
   * BROCH_CANCELLED: gave up waiting; must come within 2 seconds of cancel. A failure is a failure
   * of the run, with its message, never an end of data. [data] */
  broch_status (*next)(void* self, const broch_cancel* cancel, broch_point point);

  /* (optional) Number of points of one iteration. BROCH_NONE: unknown or infinite. [main] */
  broch_status (*size)(void* self, int64_t* size /* out */);
} broch_dataflow;

BROCH_C_END

#endif
