/* plugin/state.h: what a plugin keeps when a run is resumed. The plugin provides this table through
 * get_interface, and the host calls it.
 *
 * A plugin must be able to read every version that it has ever written; the host refuses newer
 * ones. Saving, loading and saving again must give the same bytes. */
#ifndef BROCH_PLUGIN_STATE_H
#define BROCH_PLUGIN_STATE_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_PLUGIN_STATE "broch.state/1"

typedef struct broch_plugin_state {
  uint32_t struct_size;
  uint32_t version; /* of the data that save writes */

  /* Called between steps. [main] */
  broch_status (*save)(void* self, const broch_writer* writer);
  /* Called after create (for callbacks after setup_graph) and before before_train. bytes is
   * borrowed for the call. [main] */
  broch_status (*load)(void* self, uint32_t version, const void* bytes, uint64_t size);
} broch_plugin_state;

BROCH_C_END

#endif
