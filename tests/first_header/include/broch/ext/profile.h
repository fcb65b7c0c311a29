/* ext/profile.h: adds spans of the plugin to the profile of a run (`broch train --profile FILE`).
 * The file can be opened with chrome://tracing and Perfetto; it also shows the spans of the host:
 * epochs, steps, nodes of plans, hooks of callbacks and waits for data. */
#ifndef BROCH_EXT_PROFILE_H
#define BROCH_EXT_PROFILE_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_PROFILE "broch.profile/1"

typedef struct broch_host_profile {
  uint32_t struct_size;
  uint32_t reserved;

  /* 1 if a profile is being made; the same for the whole run. Otherwise begin, end and counter do
   * nothing. [any] */
  int32_t (*enabled)(const broch_host* host);

  /* Opens a span on this thread, inside those that are open. name is copied. [any] */
  broch_status (*begin)(const broch_host* host, const char* name);

  /* Closes the innermost span that this instance has open on this thread. A span that is never
   * closed does not appear in the profile. FAILED_PRECONDITION: none is open. [any] */
  broch_status (*end)(const broch_host* host);

  /* Records a number at this moment, which is shown as a curve, for example the length of a queue.
   * [any] */
  broch_status (*counter)(const broch_host* host, const char* name, double value);
} broch_host_profile;

BROCH_C_END

#endif
