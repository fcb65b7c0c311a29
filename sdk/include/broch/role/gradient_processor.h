/* role/gradient_processor.h: a map over a list of gradients, between reduction and update. Seed
 * term: GradientProcessor.
 *
 * A description, like a tower function (role/model.h): the host calls process once while the graph
 * is set up, on zeros, then as often as it needs, and replays what it computed. Numbers that change
 * are hyper-parameters (ext/hyper.h); what it remembers are variables that are LOCAL and not
 * trainable (ext/variables.h), changed through ext/tower.h's update with any anchor. One processor at
 * several places (towers of an asynchronous plan, both players of a GAN) has one variable of a name:
 * name it after what the place is about. With parameter servers each worker has its own, and those of
 * rank 0 are saved.
 *
 * Source: tensorpack tfutils/gradproc.py; 3.23. */
#ifndef BROCH_ROLE_GRADIENT_PROCESSOR_H
#define BROCH_ROLE_GRADIENT_PROCESSOR_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_GRADIENT_PROCESSOR "broch.gradient_processor/1"

/* One entry at least. */
typedef struct broch_gradient_processor {
  uint32_t struct_size;
  uint32_t reserved;

  /* (optional) Which gradients go on: keep[i], 1 before the call, becomes 0 for a variable that is
   * left alone from here on. Once for each place where the processor is used. [main] */
  broch_status (*keep)(void* self, const broch_variable* variables, uint32_t n,
                       int32_t* keep /* in, out: n */);

  /* (optional) gradients[0..n), borrowed, of those variables that go on. results[i], 0 before,
   * becomes the tensor that goes on in place of gradients[i], of its shape; another floating-point
   * dtype is converted; 0: unchanged. Writes to none of the gradients. A 0 after a
   * host function failed in this call is that failure. scope stands where ext/ops.h, autograd.h,
   * hyper.h, variables.h and update of tower.h take a tower; random operators draw alike on all
   * ranks. [step] */
  broch_status (*process)(void* self, broch_tower scope, const broch_variable* variables,
                          const broch_tensor* gradients, uint32_t n,
                          broch_tensor* results /* out: n */);
} broch_gradient_processor;

BROCH_C_END

#endif
