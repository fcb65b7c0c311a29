/* ext/options.h: options that change while it trains. Answered by get_interface, called by the host.
 *
 * An option whose schema has "x-broch-mutable": true can be set in a run (broch ctl RUN set
 * INSTANCE/OPTION=VALUE), checked against the schema before: between two steps, on all ranks that
 * train between the same two. Parameter servers are not told: where there are some, options of
 * optimizers and gradient processors stay. What was set is saved with the state, and is back after a
 * resume unless the manifest says something else by then. Who asks ext/config.h each time needs no
 * more than the word in the schema; who keeps a copy answers this. */
#ifndef BROCH_EXT_OPTIONS_H
#define BROCH_EXT_OPTIONS_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_OPTIONS "broch.options/1"

typedef struct broch_options {
  uint32_t struct_size;
  uint32_t reserved;

  /* The option at pointer ("/patience"; an RFC 6901 pointer, borrowed for the call) has another
   * value, which ext/config.h gives from here on. A call that fails refuses it, with a message
   * (host.h, fail), and leaves the instance as it was: the old value is back, the run goes on. Where
   * another rank refuses, or another option that was set with it, the call comes again for the old
   * value, which may not be refused. INTERNAL, as any exception that leaves it, is no refusal: it
   * ends the run. Comes between steps, and in a resumed run after create (and the setup_graph of
   * callbacks), before the load of ext/state.h. [main] */
  broch_status (*changed)(void* self, const char* pointer);
} broch_options;

BROCH_C_END

#endif
