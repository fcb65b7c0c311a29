/* plugin/options.h: options that change during training. The plugin provides this table through
 * get_interface, and the host calls it.
 *
 * An option whose schema contains "x-broch-mutable": true can be set in a running training (broch
 * ctl RUN set INSTANCE/OPTION=VALUE). The value is first checked against the schema. The change
 * happens between two steps, the same two on all ranks that train. Parameter servers do not take
 * part: with them, options of optimizers and gradient processors cannot change. A value that was
 * set is saved with the state and restored on resume, unless the manifest has been changed. A
 * component that reads the option through ext/config.h whenever it needs it does not need this
 * table; one that keeps a copy does.
 *
 * To refuse a value, leave the instance unchanged and fail with a message: the old value comes back
 * and the run continues. If another rank, or another option that was set at the same time, refuses,
 * changed is called again for the old value, which must not be refused. INTERNAL is not a refusal:
 * it ends the run, as an exception does. */
#ifndef BROCH_PLUGIN_OPTIONS_H
#define BROCH_PLUGIN_OPTIONS_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_PLUGIN_OPTIONS "broch.options/1"

typedef struct broch_plugin_options {
  uint32_t struct_size;
  uint32_t reserved;

  /* The option at pointer ("/patience", as in RFC 6901, borrowed for the call) has a new value,
   * which ext/config.h already returns. Called between steps; in a resumed run after create (for
   * callbacks after setup_graph) and before load of plugin/state.h. [main] */
  broch_status (*changed)(void* self, const char* pointer);
} broch_plugin_options;

BROCH_C_END

#endif
