/* role/input_source.h: gives each tower its tensors for each step. Seed term: InputSource.
 *
 * Each tower takes a data point of its own in each step: the total batch is the batch of the
 * source times the number of towers, and shapes may differ between towers (M68).
 *
 * An input source may also answer the callback interface (role/callback.h). It then gets
 * setup_graph, before_train, after_train, before_run and after_run, on every rank, before all other
 * callbacks (2.1). Source: tensorpack input_source/input_source_base.py; 3.19, T5, T6, T62. */
#ifndef BROCH_ROLE_INPUT_SOURCE_H
#define BROCH_ROLE_INPUT_SOURCE_H

#include "dataflow.h"
#include "model.h"

BROCH_C_BEGIN

#define BROCH_ROLE_INPUT_SOURCE "broch.input_source/1"

/* Flags of a source. */
enum {
  BROCH_INPUT_FEED = 1,        /* one data point a hooked run: one tower; plain evaluation of what
                                  depends on it fails, naming the input */
  BROCH_INPUT_PLACEHOLDER = 2, /* no data of its own: whoever runs feeds every input that is needed */
  BROCH_INPUT_STAGED = 4       /* keeps points staged: not for inference, does not nest */
};

typedef struct broch_bytes {
  const void* data;
  uint64_t size;
} broch_bytes;

typedef struct broch_input_source {
  uint32_t struct_size;
  uint32_t flags; /* BROCH_INPUT_… */

  /* Once: the signature it has to serve, borrowed for the call. [main] */
  broch_status (*setup)(void* self, const broch_input_spec* inputs, uint32_t n);

  /* (optional) Initialises, or starts over: before training by the trainer, before each round by an
   * inference runner. [main] */
  broch_status (*reset_state)(void* self);

  /* (optional) Instead of reset_state on resume: continue after the points that were consumed.
   * cursors[t] is the cursor of the last point that tower t consumed (size 0: none). Points are
   * handed out in tower order, so the last tower's is the newest. [main] */
  broch_status (*resume)(void* self, const broch_bytes* cursors, uint32_t towers);

  /* Fills point for a tower. Outcomes and rules as role/dataflow.h's next. [step] */
  broch_status (*next)(void* self, uint32_t tower, const broch_cancel* cancel, broch_point point);

  /* (optional) Data points of one round. BROCH_NONE: unknown. [main] */
  broch_status (*size)(void* self, int64_t* size /* out */);

  /* (optional) Ends threads and waits for them. After training, before destroy; may come twice.
   * [main] */
  broch_status (*stop)(void* self);
} broch_input_source;

BROCH_C_END

#endif
