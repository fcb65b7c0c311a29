/* role/optimizer.h: an update rule. Seed term: tf.train.Optimizer.
 *
 * outline says once which numbers and which memory the rule has; update is a description, like a
 * tower function (role/model.h): called once while the graph is set up, on zeros, then as often as
 * the host needs, which replays what it computed. What the rule remembers are its slots: variables
 * "{variable}/{slot}" of the variable's dtype and shape, saved and resumed with it. Numbers that
 * change are hyper-parameters, for example "learning_rate", which callbacks set by name.
 *
 * Source: torch.optim.Optimizer; tensorpack tfutils/optimizer.py; 3.24, 4.8. */
#ifndef BROCH_ROLE_OPTIMIZER_H
#define BROCH_ROLE_OPTIMIZER_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_OPTIMIZER "broch.optimizer/1"

typedef struct broch_optimizer_outline {
  void* context;
  /* A hyper-parameter with its first value, usually an option. Another name each. */
  broch_status (*hyper)(void* context, const char* name, double initial);
  /* A slot of each variable and the first value of its elements. Another name each. */
  broch_status (*slot)(void* context, const char* name, double initial);
} broch_optimizer_outline;

/* What one update has to go on, borrowed for the call. n variables; a list of slots has slot k of
 * variable i at k * n + i, in the order of outline. */
typedef struct broch_update {
  uint32_t struct_size;
  uint32_t n;
  broch_tower scope; /* where ext/ops.h, autograd.h, hyper.h and variables.h take a tower */
  const broch_variable* variables;
  const broch_tensor* values;
  const broch_tensor* gradients; /* of the dtype and shape of the values */
  const broch_tensor* slots;
  const broch_tensor* hypers; /* float64, 0-dim, in the order of outline */
  broch_tensor number;        /* int64, 0-dim: of this update, from 1; 0 while set up */
  /* out: 0 before, becomes the new tensor, of the same shape; another floating-point dtype is
   * converted; 0: unchanged */
  broch_tensor* new_values;
  broch_tensor* new_slots;
} broch_update;

typedef struct broch_optimizer {
  uint32_t struct_size;
  uint32_t reserved;

  /* (optional) Before the first update, for each node that updates by this rule; the same each time.
   * No slot is called step, accum_grad or accum_step, which are the host's. [main] */
  broch_status (*outline)(void* self, const broch_optimizer_outline* outline);

  /* Writes to none of the tensors that it is given; the host writes all new ones together. Called
   * for lists of variables of one dtype and device, one after the other. Random operators draw alike
   * on all ranks. A 0 among the answers after a host function failed in this call is that failure.
   * What it remembers are slots: a variable that it makes is not saved by a parameter server. [step]
   */
  broch_status (*update)(void* self, const broch_update* update);
} broch_optimizer;

BROCH_C_END

#endif
