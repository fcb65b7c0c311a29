/* host.h: what every plugin instance gets from the host.
 *
 * The pointer belongs to the instance that received it in create, and is the first argument of
 * every host function: it tells the host whose errors, log lines, handles and threads these are.
 * Several hosts may live in one process. The members of this table are final; everything else is an
 * extension. */
#ifndef BROCH_HOST_H
#define BROCH_HOST_H

#include "export.h"
#include "status.h"

BROCH_C_BEGIN

/* Log levels. A log line is a sentence for a person; numbers are metrics (ext/metrics.h). */
enum { BROCH_LOG_DEBUG = 0, BROCH_LOG_INFO = 1, BROCH_LOG_WARNING = 2, BROCH_LOG_ERROR = 3 };

typedef struct broch_host {
  uint32_t struct_size; /* of the host's table, which may differ from this header's */
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved;

  /* Returns the table of an extension by its id ("broch.ops/1"), or NULL if this host does not have
   * it. Borrowed, valid as long as the instance. Ask in create and keep the pointer. [any] */
  const void* (*get_extension)(const struct broch_host* host, const char* id);

  /* Records why a call fails and returns code, so that a plugin can write
   *   return host->fail(host, BROCH_E_INVALID_ARGUMENT, "patience must be at least 1, got 0");
   * The text is copied. Each thread has one message; the last one counts. [any] */
  broch_status (*fail)(const struct broch_host* host, broch_status code, const char* message);

  /* Why the last host function failed on this thread; never NULL. Borrowed until the next failure
   * on this thread. [any] */
  const char* (*last_error)(const struct broch_host* host);

  /* Writes one line to the log, prefixed with the name of the instance. level: BROCH_LOG_….
   * [any] */
  void (*log)(const struct broch_host* host, int32_t level, const char* message);
} broch_host;

BROCH_C_END

#endif
