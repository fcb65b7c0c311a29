/* role/callback.h: everything around the steps. Seed term: Callback.
 *
 *   setup_graph                      once; declare fetches and feeds, ask for predictors
 *   before_train
 *   for each epoch:
 *     before_epoch                   not inside the epoch's clock
 *     for each step:
 *       the trainer's step; for each hooked run in it:
 *         before_run, execution, after_run
 *       trigger_step
 *     after_epoch                    inside the clock: stay fast
 *     trigger_epoch                  outside the clock: save, evaluate, report here
 *   after_train                      also after a failure or a stop, also when before_train of
 *                                    this or another callback never ran
 *
 * Each line calls all callbacks in order of registration. Counters as seen here are those of
 * ext/run.h. Source: tensorpack callbacks/base.py, train/base.py; 2.1-2.4. */
#ifndef BROCH_ROLE_CALLBACK_H
#define BROCH_ROLE_CALLBACK_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_CALLBACK "broch.callback/1"

/* Each entry is optional: the host skips NULL. Each returns
 *   BROCH_OK    go on
 *   BROCH_STOP  end training quietly: the rest of this event is skipped, after_train still comes;
 *               the message given through host->fail, if any, is logged. Not from setup_graph:
 *               there is no training yet. One of several ranks that stops in trigger_step does so
 *               behind the next step, with all others; for before_run and after_run there is
 *               request_stop of ext/run.h
 *   BROCH_CANCELLED  a wait was ended by the cancel of ext/data.h: the run ends as after a signal;
 *               what this callback does is repeated when the run is resumed
 *   negative    the run fails; from after_train it is logged, and the others are called
 * All [main]. */
typedef struct broch_callback {
  uint32_t struct_size;
  uint32_t reserved;

  broch_status (*setup_graph)(void* self);
  broch_status (*before_train)(void* self);
  broch_status (*after_train)(void* self);
  broch_status (*before_epoch)(void* self);
  broch_status (*after_epoch)(void* self);

  /* Before a hooked run. *fetches has bit k set for each fetch k this callback declared (ext/run.h);
   * clear the bits that are not wanted this time. Feeds are set through ext/run.h. */
  broch_status (*before_run)(void* self, broch_run run, uint64_t* fetches /* in, out */);

  /* After it. The values that were wanted are read through ext/run.h and are borrowed until the
   * last after_run of this run returns. */
  broch_status (*after_run)(void* self, broch_run run);

  broch_status (*trigger_step)(void* self);

  /* NULL: trigger is called instead. */
  broch_status (*trigger_epoch)(void* self);

  /* What this callback does; when is decided by trigger_epoch or by a wrapper such as
   * periodic-trigger. */
  broch_status (*trigger)(void* self);
} broch_callback;

BROCH_C_END

#endif
