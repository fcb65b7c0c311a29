/* ext/progress.h: the progress of the training, and values that are computed together with a step.
 *
 * A hooked run calls before_run and after_run of the callbacks, and computes what they fetch from
 * the same data point. Names are looked up once, in setup_graph. A name is a published name or an
 * input of the main training tower ("cost") or of another tower ("1:cost"), a hyper-parameter, or a
 * variable. Activations are those before the update of the step, variables those after it. */
#ifndef BROCH_EXT_PROGRESS_H
#define BROCH_EXT_PROGRESS_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_PROGRESS "broch.progress/1"
#define BROCH_FETCHES_MAX 64

typedef struct broch_progress {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t epoch_num;   /* the current epoch; starting_epoch - 1 in before_train */
  int64_t local_step;  /* step of the epoch, current or just finished, from 0; -1 before the first;
                          in before_epoch still that of the previous epoch */
  int64_t global_step; /* number of hooked runs since the model was created */
  int64_t steps_per_epoch;
  int64_t starting_epoch;
  int64_t max_epoch; /* inclusive */
  int32_t is_chief;  /* this process has rank 0 (ext/dist.h) */
  int32_t resumed;   /* this start of the program continues an earlier one */
} broch_progress;

typedef struct broch_host_progress {
  uint32_t struct_size;
  uint32_t reserved;

  /* Read-only memory that the host updates, valid as long as the instance. Read its members where
   * the plugin is called as [main]. [any] */
  const broch_progress* (*progress)(const broch_host* host);

  /* In setup_graph of a callback: requests a value with every hooked run of the trainer's group.
   * *id counts 0, 1, …, below BROCH_FETCHES_MAX; it is the number of the bit in the mask of
   * before_run. [main] */
  broch_status (*fetch)(const broch_host* host, const char* name, uint32_t* id /* out */);

  /* In after_run: a value that was requested in this run. BROCH_NONE: it was not. [main] */
  broch_status (*value)(const broch_host* host, broch_run run, uint32_t id,
                        broch_tensor* value /* out */);
  /* The same for a value with one element, as a number. [main] */
  broch_status (*scalar)(const broch_host* host, broch_run run, uint32_t id,
                         double* value /* out */);

  /* In setup_graph: announces that this callback may feed an input or a published name. [main] */
  broch_status (*feed)(const broch_host* host, const char* name, uint32_t* id /* out */);

  /* In before_run: feeds a value in this run. If two callbacks feed the same name, the error names
   * both. [main] */
  broch_status (*set_feed)(const broch_host* host, broch_run run, uint32_t id, broch_tensor value);

  /* In before_run or after_run: ends the loop after this step. reason is logged; NULL or "": the
   * name of this instance. If there are several ranks, all of them end after the next step.
   * [main] */
  broch_status (*request_stop)(const broch_host* host, const char* reason);

  /* In setup_graph: every hooked run also writes the updates anchored at a collection, such as
   * "UPDATE_OPS", and maintains the moving averages in it, such as "MOVING_SUMMARY_OPS". [main] */
  broch_status (*run_collection)(const broch_host* host, const char* collection);

  /* Evaluates names now, without hooks, updates or a step. If they depend on the input, this
   * consumes one data point; with a source that is BROCH_INPUT_FEED or BROCH_INPUT_STAGED it fails,
   * naming the input. OUT_OF_RANGE: the data has ended. BROCH_CANCELLED: a signal has ended the
   * wait (role/callback.h). [main] */
  broch_status (*eval)(const broch_host* host, const char* const* names, uint32_t n,
                       broch_tensor* values /* out */);

  /* want_summaries, in before_run: this run also computes the summaries in collection "SUMMARIES";
   * the monitors receive them right after after_run of this callback. evaluate_summaries: does the
   * same in a run of its own, with the outcomes of eval. [main] */
  broch_status (*want_summaries)(const broch_host* host, broch_run run);
  broch_status (*evaluate_summaries)(const broch_host* host);
} broch_host_progress;

BROCH_C_END

#endif
