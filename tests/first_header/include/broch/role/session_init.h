/* role/session_init.h: fills variables before training. Seed term: SessionInit.
 *
 * Runs once, on the chief, after initializers and before before_train; not on resume, which loads
 * every variable itself. Source: tensorpack tfutils/sessinit.py; 3.21. */
#ifndef BROCH_ROLE_SESSION_INIT_H
#define BROCH_ROLE_SESSION_INIT_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_SESSION_INIT "broch.session_init/1"

typedef struct broch_session_init {
  uint32_t struct_size;
  uint32_t reserved;

  /* Assigns through ext/variables.h or ext/checkpoint.h. [main] */
  broch_status (*init)(void* self);
} broch_session_init;

BROCH_C_END

#endif
