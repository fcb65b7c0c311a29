/* ext/scope.h: how long borrowed handles live, and threads of a plugin's own.
 *
 * Every call from the host opens a scope; handles made during the call die at its return unless
 * retained. In a loop that makes many, push a scope a turn. */
#ifndef BROCH_EXT_SCOPE_H
#define BROCH_EXT_SCOPE_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_SCOPE "broch.scope/1"

typedef struct broch_scope {
  uint32_t struct_size;
  uint32_t reserved;

  /* Scopes nest; those left open at the return of the call are closed by the host. [any] */
  broch_status (*push)(const broch_host* host);
  broch_status (*pop)(const broch_host* host);

  /* A thread that the plugin started announces itself before its first other host function and
   * leaves before it ends; between them it has role [data] for this instance. name shows up in
   * diagnostics, copied. [any] */
  broch_status (*thread_enter)(const broch_host* host, const char* name);
  broch_status (*thread_leave)(const broch_host* host);
} broch_scope;

BROCH_C_END

#endif
