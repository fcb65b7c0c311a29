/* ext/state.h: what a plugin keeps across a restart. Answered by get_interface, called by the host.
 *
 * A plugin reads every version it ever wrote; the host refuses a newer one. load comes after create
 * (and after the setup_graph of callbacks) and before before_train; save at a step boundary. Saving,
 * loading and saving again gives equal bytes. T18, T30. */
#ifndef BROCH_EXT_STATE_H
#define BROCH_EXT_STATE_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_STATE "broch.state/1"

typedef struct broch_state {
  uint32_t struct_size;
  uint32_t version; /* of what save writes */

  /* [main] */
  broch_status (*save)(void* self, const broch_writer* writer);
  /* bytes borrowed for the call. [main] */
  broch_status (*load)(void* self, uint32_t version, const void* bytes, uint64_t size);
} broch_state;

BROCH_C_END

#endif
