/* ext/run.h: where training stands, and values along with a step.
 *
 * A hooked run fires before_run and after_run of the callbacks and computes what they fetch on the
 * same data point. Names are looked up once, in setup_graph: a published name or an input of the
 * main training tower ("cost"), of another tower ("1:cost"), a hyper-parameter, or a variable.
 * Activations are those before the step's update, variables those after it. Source: 2.3, 2.5, 3.10. */
#ifndef BROCH_EXT_RUN_H
#define BROCH_EXT_RUN_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_RUN "broch.run/1"
#define BROCH_FETCHES_MAX 64

typedef struct broch_progress {
  uint32_t struct_size;
  int32_t is_chief;
  int64_t epoch_num;      /* the running epoch; starting_epoch-1 in before_train */
  int64_t local_step;     /* of the running or just finished step, from 0; -1 before the first; stale
                             in before_epoch */
  int64_t global_step;    /* hooked runs finished since the model was created */
  int64_t steps_per_epoch;
  int64_t starting_epoch;
  int64_t max_epoch;      /* inclusive */
  int32_t resumed;        /* this start continues an earlier one */
  uint32_t rank;
  uint32_t world;
  uint32_t reserved;
} broch_progress;

typedef struct broch_run_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Kept by the host in read-only memory, valid as long as the instance. Read it as [main]. [any] */
  const broch_progress* (*progress)(const broch_host* host);

  /* In setup_graph of a callback: asks for a value along with hooked runs of the trainer's group.
   * *id is 0, 1, … below BROCH_FETCHES_MAX and is the bit in before_run's mask. [main] */
  broch_status (*fetch)(const broch_host* host, const char* name, uint32_t* id /* out */);

  /* In after_run: a value that was wanted in this run. BROCH_NONE: it was not. [main] */
  broch_status (*value)(const broch_host* host, broch_run run, uint32_t id,
                        broch_tensor* value /* out */);
  /* The same for a value of one element, as a number. [main] */
  broch_status (*scalar)(const broch_host* host, broch_run run, uint32_t id,
                         double* value /* out */);

  /* In setup_graph: announces that this callback may feed an input or a published name. [main] */
  broch_status (*feed)(const broch_host* host, const char* name, uint32_t* id /* out */);

  /* In before_run: feeds it in this run. Two feeders of one name are an error naming both. [main] */
  broch_status (*set_feed)(const broch_host* host, broch_run run, uint32_t id, broch_tensor value);

  /* In before_run or after_run: the loop ends before the next step; this step completes. reason is
   * logged. Of several ranks, all end behind the next step. [main] */
  broch_status (*request_stop)(const broch_host* host, const char* reason);

  /* In setup_graph: asks that every hooked run also commits the updates anchored at a collection
   * ("UPDATE_OPS"), or maintains the moving averages ("MOVING_SUMMARY_OPS"). [main] */
  broch_status (*run_collection)(const broch_host* host, const char* collection);

  /* Evaluates names now, without hooks, updates or a step. If they depend on the input this consumes
   * one data point of a feed-free source and fails, naming the input, under feed and staging. [main]
   */
  broch_status (*eval)(const broch_host* host, const char* const* names, uint32_t n,
                       broch_tensor* values /* out */);

  /* In before_run: this run also computes the summaries of collection "SUMMARIES"; they reach the
   * monitors right after this callback's after_run. evaluate_summaries does it as a run of its own.
   * [main] */
  broch_status (*want_summaries)(const broch_host* host, broch_run run);
  broch_status (*evaluate_summaries)(const broch_host* host);
} broch_run_ext;

BROCH_C_END

#endif
