/* role/optimizer.h: an update rule. TensorFlow: `tf.train.Optimizer`.
 *
 * spec lists the numbers and the memory that the rule uses. update is a description, like a
 * tower function (role/model.h): the host calls it once while the graph is set up, with zeros, and
 * later as often as it needs, and replays what was computed. The memory of the rule are its slots:
 * variables named "{variable}/{slot}" with the dtype of the variable and, unless slot_shape says
 * otherwise, its shape, which are saved and resumed with it. Numbers that change are
 * hyper-parameters, for example "learning_rate"; callbacks set them by name.
 *
 * Keep all memory in slots: a parameter server saves no other variables. Random operators draw the
 * same numbers on all ranks. If a host function failed in a call of update, a new tensor that is 0
 * reports that failure.
 *
 * Source: torch.optim.Optimizer; tensorpack tfutils/optimizer.py. */
#ifndef BROCH_ROLE_OPTIMIZER_H
#define BROCH_ROLE_OPTIMIZER_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_OPTIMIZER "broch.optimizer/1"

typedef struct broch_optimizer_spec {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  /* Adds a hyper-parameter with its initial value, usually an option. Names are unique, not empty
   * and without '/'. */
  broch_status (*hyper_param)(void* context, const char* name, double initial);
  /* Adds a slot for each variable, with the initial value of its elements. Names as above. */
  broch_status (*slot)(void* context, const char* name, double initial);
} broch_optimizer_spec;

/* What an update works on, borrowed for the call: n variables. In a list of slots, slot k of
 * variable i is at k * n + i; slots and hyper-parameters are in the order of spec. */
typedef struct broch_update {
  uint32_t struct_size;
  uint32_t n;
  /* Pass it where ext/ops.h, autograd.h, hyper_param.h and variables.h take a tower. */
  broch_tower scope;
  const broch_variable* variables;
  const broch_tensor* values;
  const broch_tensor* gradients; /* same dtype and shape as the values */
  const broch_tensor* slots;
  const broch_tensor* hyper_params; /* float64, 0-dim, in the order of spec */
  broch_tensor number; /* int64, 0-dim: the number of this update, from 1; 0 during set-up */
  /* out: 0 before the call; the new tensor, of the same shape as the old one; another
   * floating-point dtype is converted; 0: unchanged */
  broch_tensor* new_values;
  broch_tensor* new_slots;
} broch_update;

typedef struct broch_optimizer {
  uint32_t struct_size;
  uint32_t reserved;

  /* (optional) Called before the first update, for each node that updates with this rule; always
   * lists the same. The slot names step, accum_grad, accum_step, lookahead and lookahead_step are
   * reserved for the host. [main] */
  broch_status (*spec)(void* self, const broch_optimizer_spec* spec);

  /* Computes the new values and slots. Do not write to the given tensors; the host writes all new
   * ones together. Called once per list of variables with one dtype and device. [step] */
  broch_status (*update)(void* self, const broch_update* update);

  /* (optional) Sets the shape of a slot whose shape is not that of its variable. slot: its number
   * in the order of spec. shape and rank: in: those of the variable; out: those of the slot; there
   * is room for BROCH_RANK_MAX elements. Called before the first update; always answers the same.
   * [main] */
  broch_status (*slot_shape)(void* self, uint32_t slot, int64_t* shape, uint32_t* rank);
} broch_optimizer;

BROCH_C_END

#endif
