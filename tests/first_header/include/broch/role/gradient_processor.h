/* role/gradient_processor.h: changes a list of gradients between reduction and update. tensorpack:
 * `GradientProcessor`.
 *
 * process is a description, like a tower function (role/model.h): the host calls it once while the
 * graph is set up, with zeros, and later as often as it needs, and replays what was computed.
 * Numbers that change are hyper-parameters (ext/hyper_param.h). Whatever the processor has to
 * remember is a variable that is LOCAL and not trainable (ext/variables.h), changed through update
 * of ext/tower.h with any anchor. If one processor is used in several places (the towers of an
 * asynchronous plan, both players of a GAN), a variable name is the same variable in all of them:
 * include in it what the place is about. With parameter servers every worker has its own variables,
 * and those of rank 0 are saved.
 *
 * In process, pass scope wherever ext/ops.h, autograd.h, hyper_param.h, variables.h and update of
 * tower.h take a tower. Random operators draw the same numbers on all ranks. If a host function
 * failed in a call, a result that is 0 reports that failure.
 *
 * Source: tensorpack tfutils/gradproc.py. */
#ifndef BROCH_ROLE_GRADIENT_PROCESSOR_H
#define BROCH_ROLE_GRADIENT_PROCESSOR_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_GRADIENT_PROCESSOR "broch.gradient_processor/1"

/* At least one of the two entries is set. */
typedef struct broch_gradient_processor {
  uint32_t struct_size;
  uint32_t reserved;

  /* (optional) Decides which gradients are used: keep[i] is 1 before the call; set it to 0 to leave
   * the variable unchanged by this update. Called once for each place where the processor is used.
   * [main] */
  broch_status (*keep)(void* self, const broch_variable* variables, uint32_t n,
                       int32_t* keep /* in, out: n */);

  /* (optional) Receives gradients[0..n), borrowed, of the variables that are kept. Set results[i],
   * 0 before the call, to the tensor that replaces gradients[i]; its shape must be the same, and
   * another floating-point dtype is converted. 0: unchanged. Do not write to the gradients.
   * [step] */
  broch_status (*process)(void* self, broch_tower scope, const broch_variable* variables,
                          const broch_tensor* gradients, uint32_t n,
                          broch_tensor* results /* out: n */);
} broch_gradient_processor;

BROCH_C_END

#endif
