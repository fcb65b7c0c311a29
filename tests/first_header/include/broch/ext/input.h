/* ext/input.h: the input of the run. Callbacks can ask about it, and a trainer can take data points
 * from it itself, instead of by a plan.
 *
 * signature of broch.predict/1 describes the data points. Source: tensorpack
 * input_source/input_source_base.py.
 *
 * Rules of next:
 *  - Take the points of all towers first, in the order of their numbers, as a plan does.
 *  - A point counts as consumed at once: a later checkpoint continues after it.
 *  - A point is not checked against the signature; tensors of broch.data_point/1 does that.
 *  - Return BROCH_END and BROCH_STOP from run_step; training then ends without an error, as after
 *    the run of a plan. Only the wait for the first point of a step ends with BROCH_STOP: half a
 *    step cannot be resumed.
 *  - A failure of the source ends the run, whatever run_step returns; the message names it. */
#ifndef BROCH_EXT_INPUT_H
#define BROCH_EXT_INPUT_H

#include "../host.h"
#include "../role/input_source.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_INPUT "broch.input/1"

typedef struct broch_host_input {
  uint32_t struct_size;
  uint32_t reserved;

  /* The flags of the source, BROCH_INPUT_… (role/input_source.h). BROCH_NONE: the run has no
   * source. [any] */
  broch_status (*flags)(const broch_host* host, uint32_t* flags /* out */);

  /* The number of data points of one round, as the source reports it now. BROCH_NONE: unknown, or
   * there is no source. [main] */
  broch_status (*size)(const broch_host* host, int64_t* size /* out */);

  /* The number of data points that a training tower has consumed since the program was started,
   * including those for evaluation; a resumed run counts from 0 again. 0 for a tower that takes
   * none. [main] */
  broch_status (*consumed)(const broch_host* host, uint32_t tower, uint64_t* points /* out */);

  /* In setup_graph of a trainer that will call next: towers 0 to n - 1 will ask for data points, in
   * addition to the input nodes of plans. n: 1 to 4096; the largest n counts. A trainer that never
   * calls this has one tower, or those of its plans. [main] */
  broch_status (*set_towers)(const broch_host* host, uint32_t n);

  /* In run_step of the trainer, outside of runs: fills point, which was made with point_new, with
   * the data point that the input node of a plan would have taken for this tower. BROCH_END: the
   * data has ended, and point is empty. BROCH_STOP: a signal has ended the wait.
   * FAILED_PRECONDITION: the source has no data (BROCH_INPUT_PLACEHOLDER). [main] */
  broch_status (*next)(const broch_host* host, uint32_t tower, broch_point point);
} broch_host_input;

BROCH_C_END

#endif
