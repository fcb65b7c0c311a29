/* status.h: what functions return.
 *
 *   0         success
 *   positive  an outcome that the comment of the entry lists; not a failure
 *   negative  a failure. A plugin gives the reason through host->fail; after a host function has
 *             failed, host->last_error returns it
 *
 * The outcomes of an entry never grow; a new outcome comes with a new entry. Treat a failure that
 * you do not know as BROCH_E_UNKNOWN.
 *
 * Any other value breaks the contract and ends the run with a message that names the plugin. No
 * exception crosses the interface in either direction. */
#ifndef BROCH_STATUS_H
#define BROCH_STATUS_H

#include <stdint.h>

typedef int32_t broch_status;

enum {
  BROCH_OK = 0,

  /* Outcomes. */
  BROCH_END = 1,       /* no more data; in training this ends the run normally */
  BROCH_STOP = 2,      /* ends training without an error; tensorpack: `StopTraining` */
  BROCH_CANCELLED = 3, /* stopped waiting because the host asked for it */
  BROCH_NONE = 4,      /* there is no value: nothing to set, nothing recorded yet */

  /* Failures. The numbers are those of the Abseil status codes (absl::StatusCode), negated. */
  BROCH_E_UNKNOWN = -2,
  BROCH_E_INVALID_ARGUMENT = -3,    /* the argument is wrong, whatever the state is */
  BROCH_E_DEADLINE = -4,            /* took longer than allowed */
  BROCH_E_NOT_FOUND = -5,           /* no such name, file or extension */
  BROCH_E_ALREADY_EXISTS = -6,      /* the name is already in use */
  BROCH_E_PERMISSION = -7,          /* no permission */
  BROCH_E_RESOURCE_EXHAUSTED = -8,  /* out of memory or disk space, or a limit is exceeded */
  BROCH_E_FAILED_PRECONDITION = -9, /* not possible now: wrong state, thread or order of calls */
  BROCH_E_ABORTED = -10,
  BROCH_E_OUT_OF_RANGE = -11,
  BROCH_E_UNIMPLEMENTED = -12, /* not available; from a plugin without a reason: as a NULL entry */
  BROCH_E_INTERNAL = -13,
  BROCH_E_UNAVAILABLE = -14, /* a device, a library or a peer is not available */
  BROCH_E_DATA_LOSS = -15,   /* data that is damaged or cannot be read */
  BROCH_E_NUMBERS = -100     /* a number that must be finite is not; exit code 6 */
};

#endif
