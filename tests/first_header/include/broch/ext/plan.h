/* ext/plan.h: defines what a step does. A trainer builds plans in setup_graph; the host executes
 * them.
 *
 * A plan is a small graph of large operations on towers. Nodes are added by kind, with the nodes
 * that they depend on and the options of their kind (plan_nodes.h). seal checks the whole plan, and
 * names the node that is wrong. Callbacks may make plans as well.
 *
 * A hooked run: before_run of all callbacks; the inputs of all towers (at the end of the data, if
 * there are not enough for all, training stops before this step); towers; reduce, process and
 * apply; writing of updates and moving averages; reading of the variables that are fetched;
 * after_run of all callbacks. A hooked run inside before_run or after_run is an error. */
#ifndef BROCH_EXT_PLAN_H
#define BROCH_EXT_PLAN_H

#include "../host.h"
#include "../plan_nodes.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_PLAN "broch.plan/1"

typedef struct broch_host_plan {
  uint32_t struct_size;
  uint32_t reserved;

  /* Plans are built in setup_graph: create (name: for messages), add nodes, seal. The first plan of
   * a trainer is its default. add fails with UNIMPLEMENTED for an unknown kind, and for options
   * that this host does not know. options: &x.node of the struct of this kind, or NULL. node may be
   * NULL. [main] */
  broch_status (*create)(const broch_host* host, const char* name, broch_plan* plan /* out */);
  broch_status (*add)(const broch_host* host, broch_plan plan, const char* kind,
                      const broch_node* inputs, uint32_t n, const broch_node_options* options,
                      broch_node* node /* out */);
  /* Adds code of the plugin that runs between nodes. A failure or BROCH_STOP ends the run of the
   * plan. user: passed to fn, valid as long as the instance. fn is called as [main]. [main] */
  broch_status (*add_call)(const broch_host* host, broch_plan plan, const broch_node* inputs,
                           uint32_t n, const broch_node_options* options,
                           broch_status (*fn)(void* user), void* user, broch_node* node /* out */);
  /* Adds an operation of ext/operation.h. [main] */
  broch_status (*add_operation)(const broch_host* host, broch_plan plan, const broch_node* inputs,
                                uint32_t n, const broch_node_options* options,
                                broch_operation operation, broch_node* node /* out */);
  /* Checks the whole plan; afterwards it cannot be changed, and can be run. [main] */
  broch_status (*seal)(const broch_host* host, broch_plan plan);

  /* Runs the plan once, in run_step or in a trigger event. hooked 0: without hooks, and not counted
   * as a step. hooked 1: in the hook group with that name; NULL is the group of the trainer, the
   * only one whose runs advance global_step. BROCH_END: the data has ended and nothing was changed.
   * BROCH_STOP: a callback, a call node or a signal asked for it. [main] */
  broch_status (*run)(const broch_host* host, broch_plan plan, int32_t hooked, const char* group);

  /* A hooked run without a plan: callbacks are called, what they fetch is computed (from a data
   * point of its own, if needed), and global_step advances. group and outcomes as in run. [main] */
  broch_status (*run_empty)(const broch_host* host, const char* group);
} broch_host_plan;

BROCH_C_END

#endif
