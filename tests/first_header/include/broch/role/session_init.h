/* role/session_init.h: gives variables their values before training. tensorpack: `SessionInit`.
 *
 * It runs once, on the chief, after the initializers and before before_train. It does not run when
 * a training is resumed, because resuming loads every variable. Source: tensorpack
 * tfutils/sessinit.py. */
#ifndef BROCH_ROLE_SESSION_INIT_H
#define BROCH_ROLE_SESSION_INIT_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_SESSION_INIT "broch.session_init/1"

typedef struct broch_session_init {
  uint32_t struct_size;
  uint32_t reserved;

  /* Assigns values through ext/variables.h or ext/checkpoint.h. [main] */
  broch_status (*init)(void* self);
} broch_session_init;

BROCH_C_END

#endif
