/* step.h: the number of the step as a plugin can know it behind the host's back: equal in all modes
 * of execution, other than a count of calls. A tower that computes with it breaks its contract. */
#ifndef CONFORMANCE_STEP_H
#define CONFORMANCE_STEP_H

#include "tower.h"

static inline int64_t step_behind_the_back(const tower_self* self) {
  const broch_host_progress* run =
      (const broch_host_progress*)self->host->get_extension(self->host, BROCH_EXT_PROGRESS);
  return run->progress(self->host)->global_step;
}

#endif
