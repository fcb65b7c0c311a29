/* ext/plan.h: what a step does, built in a trainer's setup_graph, executed by the host.
 *
 * A plan is a small graph of coarse host services over towers. Nodes are added by kind with the
 * nodes they depend on and options as JSON text; seal checks the whole and names the bad node.
 * An unknown kind is UNIMPLEMENTED. Callbacks may make plans of their own, too.
 *
 *   kind                      inputs              options
 *   broch.plan.input/1        -                   {"source": null, "towers": [0]}: one data point a
 *                                                 tower; source null: the manifest's
 *   broch.plan.tower/1        input (may lack)    {"name": "", "vs_name": "", "index": 0, "total": 1,
 *                                                 "device": "cpu:0", "mode": "train"}
 *   broch.plan.gradients/1    tower               {"cost": null, "variables": null}: cost null: what
 *                                                 the tower function returned; else a published name;
 *                                                 variables: regex of whole names, null: all
 *                                                 trainables of the tower
 *   broch.plan.process/1      gradients           {"processors": null}: null: the manifest's; else
 *                                                 manifest entries
 *   broch.plan.apply/1        gradients, process  {"optimizer": null, "variables": null}: null: the
 *                                                 manifest's, else the model's
 *   broch.plan.op/1           any                 add_op
 *   broch.plan.call/1         any                 add_call
 *
 * Every node takes {"name": …} for messages and {"when": {"every": n, "offset": k}}: only in runs of
 * its plan whose number (from 0) satisfies number % n == k.
 *
 * A hooked run: before_run of all callbacks; the inputs of all towers (fewer than needed at the end
 * of data: stop, no partial step); towers; process and apply; commit of updates and moving averages;
 * reads of fetched variables; after_run of all callbacks. */
#ifndef BROCH_EXT_PLAN_H
#define BROCH_EXT_PLAN_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_PLAN "broch.plan/1"

typedef struct broch_plan_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* In setup_graph. The first plan of a trainer is its default. [main] */
  broch_status (*create)(const broch_host* host, const char* name, broch_plan* plan /* out */);
  broch_status (*add)(const broch_host* host, broch_plan plan, const char* kind,
                      const broch_node* inputs, uint32_t n, const char* options,
                      broch_node* node /* out */);
  /* The strategy's own code between nodes; a failure or BROCH_STOP ends the run of the plan. [main] */
  broch_status (*add_call)(const broch_host* host, broch_plan plan, const broch_node* inputs,
                           uint32_t n, const char* options, broch_status (*fn)(void* user),
                           void* user, broch_node* node /* out */);
  /* An operation of ext/graph.h. [main] */
  broch_status (*add_op)(const broch_host* host, broch_plan plan, const broch_node* inputs,
                         uint32_t n, const char* options, broch_graph_op op,
                         broch_node* node /* out */);
  broch_status (*seal)(const broch_host* host, broch_plan plan);

  /* Runs it once, in run_step. hooked 1: in the hook group of that name (NULL: the trainer's, the only
   * one that advances global_step); 0: no hooks, no step. BROCH_END: data ended, nothing was changed.
   * BROCH_STOP: a callback or call asked for it. A hooked run inside before_run or after_run is an
   * error; inside trigger events it is legal. [main] */
  broch_status (*run)(const broch_host* host, broch_plan plan, int32_t hooked, const char* group);

  /* A hooked run that executes nothing: callbacks fire, global_step advances. [main] */
  broch_status (*run_empty)(const broch_host* host, const char* group);
} broch_plan_ext;

BROCH_C_END

#endif
