/* plugin/service.h: threads or processes of a plugin that run beside the training, such as a
 * simulator, a server or a recorder. A component of any role provides this table through
 * get_interface, and the host calls it.
 *
 * Services start after all variables have their values and states are loaded, and before
 * before_train of the callbacks; in the order in which the instances were created (children before
 * their parents), on every rank on which the component runs. They stop in reverse order, after
 * after_train of the callbacks and the last checkpoint, even if the run failed; but not if a plugin
 * that hangs or crashes ends the process.
 *
 * Source: tensorpack callbacks/concurrency.py, `StartProcOrThread`. */
#ifndef BROCH_PLUGIN_SERVICE_H
#define BROCH_PLUGIN_SERVICE_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_PLUGIN_SERVICE "broch.service/1"

typedef struct broch_plugin_service {
  uint32_t struct_size;
  uint32_t reserved;

  /* Starts the service and returns within 10 seconds; what takes longer continues in the
   * background. Called once. In threads started here, the signals for the program (SIGINT, SIGTERM)
   * are blocked. A failure ends the run, and the services already started are stopped. [main] */
  broch_status (*start)(void* self);

  /* Ends the service and joins its threads within 5 seconds; otherwise the process ends with a
   * message that names the instance. Called once for each successful start. A failure is logged.
   * Host functions tagged [any] may be called until it returns. [main] */
  broch_status (*stop)(void* self);
} broch_plugin_service;

BROCH_C_END

#endif
