/* role/trainer.h: defines what one step is, over towers. Seed term: Trainer and its strategies.
 *
 * setup_graph builds one or more plans (ext/plan.h). run_step says which of them run, in which
 * order; without it the default plan runs once, hooked. A training that is no gradient descent
 * overrides run_step and may do anything, with or without hooked runs: the only assumption is
 * that it runs in a loop (M71, M75, M76, M80).
 *
 * A trainer may also answer the callback interface: these are the strategy's own callbacks,
 * registered after those of the input source and before the step counter (2.1). */
#ifndef BROCH_ROLE_TRAINER_H
#define BROCH_ROLE_TRAINER_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_TRAINER "broch.trainer/1"

typedef struct broch_trainer {
  uint32_t struct_size;
  uint32_t reserved;

  /* Builds and seals the plans. Once. [main] */
  broch_status (*setup_graph)(void* self);

  /* (optional) One step. BROCH_STOP or BROCH_END ends training quietly; return what
   * ext/plan.h's run answered. [main] */
  broch_status (*run_step)(void* self);
} broch_trainer;

BROCH_C_END

#endif
