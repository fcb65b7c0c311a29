/* ext/service.h: what runs beside training: threads or processes of a plugin's own, such as a
 * simulator, a server or a recorder. Answered by get_interface of any component, called by the host.
 *
 * Source: tensorpack callbacks/concurrency.py StartProcOrThread (3.10). */
#ifndef BROCH_EXT_SERVICE_H
#define BROCH_EXT_SERVICE_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_SERVICE "broch.service/1"

typedef struct broch_service {
  uint32_t struct_size;
  uint32_t reserved;

  /* Starts it and returns within 10 seconds: what takes longer goes on by itself. Once, when all
   * variables have their values and states are loaded, before before_train of the callbacks, in the
   * order in which instances were made (children before their parents), on every rank on which the
   * component runs. Threads that are started here have signals blocked that are meant for the program
   * (SIGINT, SIGTERM). A failure ends the run; services that were started are stopped. [main] */
  broch_status (*start)(void* self);

  /* Ends and joins all of it within 5 seconds, or the process ends with a message that names the
   * instance. Once for each start that succeeded, in reverse order, after after_train of the callbacks
   * and the last checkpoint, also when the run failed; not when a plugin that hangs or crashes ends the
   * process. A failure is logged. The host's functions for [any] may be called until it returns. [main]
   */
  broch_status (*stop)(void* self);
} broch_service;

BROCH_C_END

#endif
