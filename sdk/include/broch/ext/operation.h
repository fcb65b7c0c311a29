/* ext/operation.h: operations on variables: copy a target network, clip weights, reset a state. A
 * component of any role defines them in setup_graph, and runs them directly or in a plan.
 *
 * The variables that an operation reads must exist when it is defined. Those of a tower exist once
 * its plan is sealed: a trainer defines operations after seal and puts them into another plan, or
 * runs them. Slots and hyper-parameters of optimizers exist when setup_graph of the trainer has
 * returned: operations on them are defined in setup_graph of callbacks, which comes later. An
 * operation may create variables only if they are LOCAL and not trainable. It is recorded like a
 * tower. */
#ifndef BROCH_EXT_OPERATION_H
#define BROCH_EXT_OPERATION_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_OPERATION "broch.operation/1"

/* A description, like a tower function: reads variables with ext/variables.h, computes with
 * ext/ops.h and writes with update of ext/tower.h (with any anchor). Pass scope wherever these take
 * a tower. [step] */
typedef broch_status (*broch_operation_fn)(void* user, broch_tower scope);

typedef struct broch_host_operation {
  uint32_t struct_size;
  uint32_t reserved;

  /* Defines an operation; call it in setup_graph. It calls fn once, to find the shapes, and later
   * whenever needed. name: for messages. user: passed to fn, valid as long as the instance.
   * [main] */
  broch_status (*define)(const broch_host* host, const char* name, broch_operation_fn fn,
                         void* user, broch_operation* operation /* out */);

  /* Runs the operation now, without hooks; all its updates are written together. [main], not inside
   * a run */
  broch_status (*run)(const broch_host* host, broch_operation operation);
} broch_host_operation;

BROCH_C_END

#endif
