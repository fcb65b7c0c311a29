/* host.h: what every plugin instance gets from the host.
 *
 * The pointer belongs to the instance that received it in create and goes into every host
 * function: that is how errors, logs, handles and threads are attributed. Several hosts may live
 * in one process. These four members stay for ever; everything else is an extension. */
#ifndef BROCH_HOST_H
#define BROCH_HOST_H

#include "export.h"
#include "status.h"

BROCH_C_BEGIN

/* Log levels. A log line is a sentence for a person; a number is a metric (ext/metrics.h). */
enum { BROCH_LOG_DEBUG = 0, BROCH_LOG_INFO = 1, BROCH_LOG_WARNING = 2, BROCH_LOG_ERROR = 3 };

typedef struct broch_host {
  uint32_t struct_size; /* of the host's table, which may be longer or shorter than this header's */
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved;

  /* The table of an extension by id ("broch.ops/1"), or NULL when this host does not have it.
   * Borrowed, valid as long as the instance. Ask in create and keep the pointer. [any] */
  const void* (*get_extension)(const struct broch_host* host, const char* id);

  /* Says why a call fails and returns code, so that the plugin writes
   *   return host->fail(host, BROCH_E_INVALID_ARGUMENT, "patience must be at least 1, got 0");
   * The text is copied. One message a thread: the last one wins. [any] */
  broch_status (*fail)(const struct broch_host* host, broch_status code, const char* message);

  /* Why the last host function failed on this thread; never NULL. Borrowed until the next
   * failure on this thread. [any] */
  const char* (*last_error)(const struct broch_host* host);

  /* One line in the log, prefixed by the host with the instance's name. [any] */
  void (*log)(const struct broch_host* host, int32_t level, const char* message);
} broch_host;

BROCH_C_END

#endif
