/* status.h: what a call answers.
 *
 *   0         done
 *   positive  an outcome that the entry's comment lists; not a failure
 *   negative  a failure; the reason was given through host->fail (by a plugin) or waits in
 *             host->last_error (from a host function)
 *
 * Any other value is a contract violation and ends the run naming the plugin. Nothing throws
 * across the interface in either direction. */
#ifndef BROCH_STATUS_H
#define BROCH_STATUS_H

#include <stdint.h>

typedef int32_t broch_status;

enum {
  BROCH_OK = 0,

  /* Outcomes. */
  BROCH_END = 1,       /* no more data; in training this ends the run gracefully */
  BROCH_STOP = 2,      /* end training quietly: tensorpack's StopTraining */
  BROCH_CANCELLED = 3, /* gave up waiting because the host asked for it */
  BROCH_NONE = 4,      /* there is no value: nothing to set, nothing recorded yet */

  /* Failures. The numbers are those of the absl status codes, negated. */
  BROCH_E_UNKNOWN = -2,
  BROCH_E_INVALID_ARGUMENT = -3,    /* the argument is wrong whatever the state is */
  BROCH_E_DEADLINE = -4,            /* took longer than allowed */
  BROCH_E_NOT_FOUND = -5,           /* no such name, file, extension */
  BROCH_E_ALREADY_EXISTS = -6,      /* the name is taken */
  BROCH_E_PERMISSION = -7,          /* not allowed to */
  BROCH_E_RESOURCE_EXHAUSTED = -8,  /* memory, disk, a limit of this interface */
  BROCH_E_FAILED_PRECONDITION = -9, /* not now: wrong state, thread or order of calls */
  BROCH_E_ABORTED = -10,
  BROCH_E_OUT_OF_RANGE = -11,
  BROCH_E_UNIMPLEMENTED = -12, /* the host treats this and a NULL entry alike */
  BROCH_E_INTERNAL = -13,
  BROCH_E_UNAVAILABLE = -14, /* a device, a library, a peer is not there */
  BROCH_E_DATA_LOSS = -15,   /* unreadable or damaged data */
  BROCH_E_NUMBERS = -100     /* a number that must be finite is not: exit code 6 */
};

#endif
