/* role/callback.h: code that runs around the steps of a training. tensorpack: `Callback`.
 *
 *   setup_graph                      once; declare fetches and feeds, ask for predictors
 *   before_train
 *   for each epoch:
 *     before_epoch                   not part of the measured time of the epoch
 *     for each step:
 *       the step of the trainer; for each hooked run in it:
 *         before_run, execution, after_run
 *       trigger_step
 *     after_epoch                    part of the measured time: be fast
 *     trigger_epoch                  not measured: save, evaluate and report here
 *   after_train                      also after a failure or a stop, even if before_train of
 *                                    this or another callback was never called
 *
 * Each line calls all callbacks in the order of their registration. ext/progress.h describes the
 * counters that they see. Source: tensorpack callbacks/base.py, train/base.py. */
#ifndef BROCH_ROLE_CALLBACK_H
#define BROCH_ROLE_CALLBACK_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_CALLBACK "broch.callback/1"

/* All entries are optional. Each returns
 *   BROCH_OK         continue
 *   BROCH_STOP       end training without an error: the rest of this event is skipped, after_train
 *                    is still called, and the message of host->fail, if any, is logged. Not
 *                    allowed in setup_graph. In before_run and after_run, the rest of the step is
 *                    skipped, too; request_stop of ext/progress.h lets it complete. If one of
 *                    several ranks returns it from trigger_step, or from before_run or after_run
 *                    and feeds no inputs, nothing is skipped, and all end after the next step
 *   BROCH_CANCELLED  a wait was ended by cancel of ext/data_point.h: the run ends as after a
 *                    signal, and when it is resumed, the work of this callback is repeated. In
 *                    after_run, and in before_run of a step that has begun, unless the callback
 *                    feeds inputs, the step is completed first and its work is not repeated
 *   negative         the run fails, and after_train of all callbacks is still called. A failure of
 *                    after_train itself is only logged
 * All [main]. */
typedef struct broch_callback {
  uint32_t struct_size;
  uint32_t reserved;

  broch_status (*setup_graph)(void* self);
  broch_status (*before_train)(void* self);
  broch_status (*before_epoch)(void* self);

  /* Called before a hooked run. *fetches has bit k set for each fetch k that this callback has
   * declared (ext/progress.h); clear the bits of those not wanted this time. Feeds are set through
   * ext/progress.h. */
  broch_status (*before_run)(void* self, broch_run run, uint64_t* fetches /* in, out */);

  /* Called after it. ext/progress.h gives the values that were wanted; they are borrowed until the
   * last after_run of this run returns. */
  broch_status (*after_run)(void* self, broch_run run);

  broch_status (*trigger_step)(void* self);
  broch_status (*after_epoch)(void* self);

  /* If NULL, trigger is called instead. */
  broch_status (*trigger_epoch)(void* self);

  /* What this callback does. trigger_epoch, or a wrapper such as periodic-trigger, decides when. It
   * is also called when the training has ended without a failure, and not within a step, if the
   * option that the metadata calls "triggers_at_end" is true. The manifest has to list the callback
   * itself, or with "when". */
  broch_status (*trigger)(void* self);

  broch_status (*after_train)(void* self);
} broch_callback;

BROCH_C_END

#endif
