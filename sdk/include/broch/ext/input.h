/* ext/input.h: the run's input: what callbacks may know of it, and data points for a trainer that takes
 * them itself, without a plan that pulls them.
 *
 * What a data point looks like says broch.predict/1 signature. Source: tensorpack
 * input_source/input_source_base.py; M26, M75, M78, M80. */
#ifndef BROCH_EXT_INPUT_H
#define BROCH_EXT_INPUT_H

#include "../host.h"
#include "../role/input_source.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_INPUT "broch.input/1"

typedef struct broch_input {
  uint32_t struct_size;
  uint32_t reserved;

  /* BROCH_INPUT_… of the source (role/input_source.h). BROCH_NONE: the run has none. [any] */
  broch_status (*flags)(const broch_host* host, uint32_t* flags /* out */);

  /* Data points of one round, as the source says now. BROCH_NONE: unknown, or there is no source.
   * [main] */
  broch_status (*size)(const broch_host* host, int64_t* size /* out */);

  /* Data points that a training tower has consumed in this start of the program: a run that is
   * resumed counts from 0. Those of evaluations included; 0 for a tower that takes none. [main] */
  broch_status (*consumed)(const broch_host* host, uint32_t tower, uint64_t* points /* out */);

  /* In setup_graph of the trainer, which is to call next: towers 0 to n - 1 will ask for data points,
   * besides those of the input nodes of plans. n: 1 to 4096; the largest
   * counts. A trainer that never calls it has one tower, or those of its plans. [main] */
  broch_status (*towers)(const broch_host* host, uint32_t n);

  /* In run_step of the trainer, outside of runs: fills a point of the caller's own (broch.data/1
   * point_new; what was in it is gone) with the next data point of a tower, which is what a plan's
   * input node would have taken. Not checked against the signature: broch.data/1 tensors does that.
   * Take the points of all towers first and in order of their numbers, as a plan does. The point
   * counts as consumed at once: a checkpoint of later on continues after it.
   * BROCH_END: the data has ended and the point is empty; returned from run_step this ends training
   * quietly, as after a run of a plan. BROCH_STOP: a signal has ended the wait; return it. Only the
   * first point of a step is given up so; for the others a step goes on to its end, since half of one
   * could not be resumed. A failure of the source, which the message names, ends the run whatever
   * run_step returns. FAILED_PRECONDITION: not the trainer, not in run_step, or a source that has no
   * data of its own (BROCH_INPUT_PLACEHOLDER). [main] */
  broch_status (*next)(const broch_host* host, uint32_t tower, broch_point point);
} broch_input;

BROCH_C_END

#endif
