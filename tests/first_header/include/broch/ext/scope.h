/* ext/scope.h: how long borrowed handles live, and threads that a plugin starts.
 *
 * Every call from the host opens a scope; handles that are made during the call become invalid when
 * it returns, unless they are retained. A loop that makes many handles should push a scope in each
 * iteration. */
#ifndef BROCH_EXT_SCOPE_H
#define BROCH_EXT_SCOPE_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_SCOPE "broch.scope/1"

typedef struct broch_host_scope {
  uint32_t struct_size;
  uint32_t reserved;

  /* Scopes nest. The host closes those that are still open when the call returns. [any] */
  broch_status (*push)(const broch_host* host);
  broch_status (*pop)(const broch_host* host);

  /* A thread that the plugin has started calls thread_enter before any other host function, and
   * thread_leave before it ends; in between it has role [data] for this instance. name appears in
   * messages and is copied. [any] */
  broch_status (*thread_enter)(const broch_host* host, const char* name);
  broch_status (*thread_leave)(const broch_host* host);
} broch_host_scope;

BROCH_C_END

#endif
