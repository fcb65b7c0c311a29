/* role/input_source.h: gives each tower its tensors for each step. tensorpack: `InputSource`.
 *
 * In each step every tower takes a data point of its own. The total batch size is the batch size of
 * the source times the number of towers, and shapes may differ between towers.
 *
 * An input source may also implement the callback interface (role/callback.h). It then gets
 * setup_graph, before_train, after_train, before_run and after_run, on every rank, before all other
 * callbacks. Source: tensorpack input_source/input_source_base.py. */
#ifndef BROCH_ROLE_INPUT_SOURCE_H
#define BROCH_ROLE_INPUT_SOURCE_H

#include "dataflow.h"
#include "model.h"

BROCH_C_BEGIN

#define BROCH_ROLE_INPUT_SOURCE "broch.input_source/1"

/* Flags of a source. */
enum {
  BROCH_INPUT_FEED = 1, /* gives points to hooked runs only; evaluating a value outside of them
                           fails if it depends on an input */
  BROCH_INPUT_PLACEHOLDER = 2, /* has no data: every input that is needed has to be fed */
  BROCH_INPUT_STAGED = 4 /* prepares points of each tower in advance, so it takes more than it gives
                            out; not for inference, not inside another staged source */
};

/* An element of an array, so frozen. */
typedef struct broch_bytes {
  const void* data;
  uint64_t size;
} broch_bytes;

typedef struct broch_input_source {
  uint32_t struct_size;
  uint32_t flags; /* BROCH_INPUT_… */

  /* Called once, with the inputs of the model that it has to provide, borrowed for the call.
   * [main] */
  broch_status (*setup)(void* self, const broch_input_spec* inputs, uint32_t n);

  /* (optional) Called before reset_state or resume of a training: towers 0 to n - 1 will ask for
   * points, one after the other in this order. n is at least 1. [main] */
  broch_status (*set_towers)(void* self, uint32_t n);

  /* (optional) Starts from the beginning. The trainer calls it before training, an inference runner
   * before each round. [main] */
  broch_status (*reset_state)(void* self);

  /* (optional) Called instead of reset_state when a run is resumed: continue after the points that
   * have been consumed. n: the number of towers, or one more. cursors[t], for t below the number of
   * towers: that of the last point that tower t consumed (size 0: none). cursors[n - 1] is always
   * the newest: if that point was not the last tower's, its cursor is repeated at the end.
   * [main] */
  broch_status (*resume)(void* self, const broch_bytes* cursors, uint32_t n);

  /* Fills point for a tower. Outcomes and rules are those of next in role/dataflow.h. [step] */
  broch_status (*next)(void* self, uint32_t tower, const broch_cancel* cancel, broch_point point);

  /* (optional) The number of data points of one round. BROCH_NONE: unknown. [main] */
  broch_status (*size)(void* self, int64_t* size /* out */);

  /* (optional) Ends threads and waits for them. Called after training and before destroy; may be
   * called twice. [main] */
  broch_status (*stop)(void* self);
} broch_input_source;

BROCH_C_END

#endif
