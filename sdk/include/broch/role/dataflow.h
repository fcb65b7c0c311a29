/* role/dataflow.h: produces data points, finitely many or not. tensorpack: `DataFlow`.
 *
 * A data point is a list of tensors in plain memory, either in the order of the model's inputs or
 * each with the name of an input (ext/data_point.h).
 *
 * Resuming: with each point a dataflow may set a cursor, which means "continue after this point";
 * start_cursor gives the one that means "continue before the first point of this iteration". It
 * consists of at most 64 KiB that only the dataflow itself interprets. A checkpoint contains the
 * cursor of the last point that a tower consumed. If a dataflow sets no cursors, the host says so
 * at the start: such a run can be resumed, but does not give the same bits as one without
 * interruption. Source: tensorpack dataflow/base.py. */
#ifndef BROCH_ROLE_DATAFLOW_H
#define BROCH_ROLE_DATAFLOW_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_DATAFLOW "broch.dataflow/1"
#define BROCH_CURSOR_SIZE_MAX 65536

/* Tells a source that the host wants it to give up waiting. Borrowed for the call. [any] */
typedef struct broch_cancel {
  void* context;
  int32_t (*cancelled)(void* context); /* 1: give up */
  /* Sleeps for this time or less, if it is negative without an end. 1: give up. */
  int32_t (*wait)(void* context, int64_t timeout_nanoseconds);
  /* Becomes readable then, for poll(); never close it. -1, which poll ignores: there is no run that
   * could be cancelled. */
  int32_t (*event_fd)(void* context);
} broch_cancel;

typedef struct broch_dataflow {
  uint32_t struct_size;
  uint32_t reserved;

  /* (optional) Called once, before the first open: open files, seed generators, start threads.
   * [main] */
  broch_status (*reset_state)(void* self);

  /* Starts an iteration: from the beginning (cursor NULL, size 0), or after the point that the
   * cursor describes. Can be called again at any time, which abandons the current iteration. Each
   * new beginning may have another order: a shuffling dataflow continues with its next one.
   * [data] */
  broch_status (*open)(void* self, const void* cursor, uint64_t size);

  /* (optional) Between open and the first next: writes the cursor of the place where this iteration
   * starts; open with it starts there again, in the same order. A component around this one needs
   * it for a cursor of its own that refers to a round from which it has taken nothing yet, such as
   * one for a buffer. BROCH_NONE: there is none. [data] */
  broch_status (*start_cursor)(void* self, const broch_writer* cursor);

  /* Fills point with the next data point. BROCH_END: the iteration is over and point is untouched.
   * BROCH_CANCELLED: gave up waiting; return it within 2 seconds after cancel. Report a failure as
   * a failure, with a message, and never as the end of the data: it ends the run. [data] */
  broch_status (*next)(void* self, const broch_cancel* cancel, broch_point point);

  /* (optional) The number of points of one iteration. BROCH_NONE: unknown or infinite. [main] */
  broch_status (*size)(void* self, int64_t* size /* out */);
} broch_dataflow;

BROCH_C_END

#endif
