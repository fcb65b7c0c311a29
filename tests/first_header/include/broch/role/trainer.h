/* role/trainer.h: defines what one step is, over towers. tensorpack: `Trainer` and its subclasses.
 *
 * setup_graph builds one or more plans (ext/plan.h). run_step says which of them run, and in which
 * order; without it the default plan runs once, hooked. A training other than gradient descent
 * defines run_step and may do anything in it, with or without hooked runs. The only assumption is
 * that training consists of steps in a loop.
 *
 * A trainer may also implement the callback interface, for callbacks of its own; they are
 * registered after those of the input source and before the step counter. */
#ifndef BROCH_ROLE_TRAINER_H
#define BROCH_ROLE_TRAINER_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_TRAINER "broch.trainer/1"

typedef struct broch_trainer {
  uint32_t struct_size;
  uint32_t reserved;

  /* Builds and seals the plans. Called once. [main] */
  broch_status (*setup_graph)(void* self);

  /* (optional) Does one step. BROCH_STOP or BROCH_END ends training without an error; return what
   * run of ext/plan.h returned. BROCH_CANCELLED: a wait was ended by cancel of ext/data_point.h;
   * the run ends as after a signal, and when it is resumed, this step is repeated. So no plan may
   * have run in this step, and no data point may have been taken. [main] */
  broch_status (*run_step)(void* self);
} broch_trainer;

BROCH_C_END

#endif
