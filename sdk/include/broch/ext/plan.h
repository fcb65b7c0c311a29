/* ext/plan.h: defines what a step does. A trainer builds plans in setup_graph; the host executes
 * them.
 *
 * A plan is a small graph of large operations on towers. Nodes are added by kind, with the nodes
 * that they depend on and their options as JSON text. seal checks the whole plan, and names the
 * node that is wrong. Callbacks may make plans as well. In the table, [ ] marks an input that may
 * be missing.
 *
 *   kind                     inputs   options and meaning
 *   broch.plan.input/1       -        {"source": null, "towers": [0]}: takes one data point
 *                                     per tower; source null: of the manifest
 *   broch.plan.tower/1       [input]  {"name": "", "vs_name": "", "index": 0, "total": 1,
 *                                     "device": "cpu:0", "variable_devices": null,
 *                                     "mode": "train"}: calls the tower function. device
 *                                     "cuda": the GPU of the local rank. mode: or
 *                                     "inference". variable_devices: a list; each variable
 *                                     that this tower creates goes to the device with the
 *                                     fewest elements so far, the first if equal; null: to
 *                                     the device of the tower
 *   broch.plan.gradients/1   tower    {"cost": null, "variables": null}: cost: a published
 *                                     name; null: what the tower function returned.
 *                                     variables: a regular expression for whole names;
 *                                     null: all trainable variables of the tower
 *   broch.plan.reduce/1      lists    {"mode": "mean", "scale": 1.0, "algorithm": "order"}:
 *                                     combines lists of the same variables; mode: or "sum".
 *                                     The result is multiplied by scale. "order": adds in
 *                                     the order of the inputs. "nccl": NCCL adds, in its
 *                                     own order, if each list is on a GPU of its own;
 *                                     otherwise as "order"
 *   broch.plan.all_reduce/1  list     {"mode": "mean", "scale": 1.0, "compression": null}:
 *                                     combines the lists of all ranks, added in the order
 *                                     of ranks. compression "fp16": float32 is sent as
 *                                     float16. With one rank: the list itself
 *   broch.plan.process/1     list     {"processors": null}: applies gradient processors, a
 *                                     list of manifest entries; null: of the manifest
 *   broch.plan.apply/1       list     {"optimizer": null, "variables": null,
 *                                     "replica": null}: updates the variables. optimizer
 *                                     null: that of the manifest, else of the model.
 *                                     replica: the vs_name of a tower whose variables with
 *                                     the same names are updated instead; "": the first
 *   broch.plan.serve/1       list     {"optimizer": null, "variables": null, "to": []}: as
 *                                     apply, but on the parameter servers, which keep the
 *                                     variables and their slots. The lists of all ranks
 *                                     that train are applied one after the other, in the
 *                                     order of ranks. Then all of these ranks, and the
 *                                     replicas in "to", receive the values
 *   broch.plan.copy/1        any      {"from": "", "to": ["tower1"], "check": false}: copies
 *                                     all variables of one replica to the variables with
 *                                     the same names of others, with slots of optimizers.
 *                                     check true: first fails if a trainable variable
 *                                     differs in its bits
 *   broch.plan.broadcast/1   any      {"root": 0}: all variables that are not LOCAL get the
 *                                     values that they have on that rank
 *   broch.plan.op/1          any      added with add_op
 *   broch.plan.call/1        any      added with add_call
 *
 * A list is the result of a gradients, reduce, all_reduce or process node. Nodes that communicate
 * with other ranks have to run on all ranks, equally often and in the same order.
 *
 * Every node also takes {"name": …}, for messages, and {"when": {"every": n, "offset": k}}: it only
 * takes part in runs of its plan whose number (from 0) satisfies number % n == k.
 *
 * A hooked run: before_run of all callbacks; the inputs of all towers (at the end of the data, if
 * there are not enough for all, training stops before this step); towers; reduce, process and
 * apply; writing of updates and moving averages; reading of the variables that are fetched;
 * after_run of all callbacks. */
#ifndef BROCH_EXT_PLAN_H
#define BROCH_EXT_PLAN_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_PLAN "broch.plan/1"

typedef struct broch_plan_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Plans are built in setup_graph: create, add nodes, seal. The first plan of a trainer is its
   * default. add fails with UNIMPLEMENTED for an unknown kind. [main] */
  broch_status (*create)(const broch_host* host, const char* name, broch_plan* plan /* out */);
  broch_status (*add)(const broch_host* host, broch_plan plan, const char* kind,
                      const broch_node* inputs, uint32_t n, const char* options,
                      broch_node* node /* out */);
  /* Adds code of the plugin that runs between nodes. A failure or BROCH_STOP ends the run of the
   * plan. [main] */
  broch_status (*add_call)(const broch_host* host, broch_plan plan, const broch_node* inputs,
                           uint32_t n, const char* options, broch_status (*fn)(void* user),
                           void* user, broch_node* node /* out */);
  /* Adds an operation of ext/graph.h. [main] */
  broch_status (*add_op)(const broch_host* host, broch_plan plan, const broch_node* inputs,
                         uint32_t n, const char* options, broch_graph_op op,
                         broch_node* node /* out */);
  broch_status (*seal)(const broch_host* host, broch_plan plan);

  /* Runs the plan once, in run_step or in a trigger event. hooked 0: without hooks, and not counted
   * as a step. hooked 1: in the hook group with that name; NULL is the group of the trainer, the
   * only one whose runs advance global_step. BROCH_END: the data has ended and nothing was changed.
   * BROCH_STOP: a callback or a call node asked for it. A hooked run inside before_run or after_run
   * is an error. [main] */
  broch_status (*run)(const broch_host* host, broch_plan plan, int32_t hooked, const char* group);

  /* A hooked run that executes nothing: callbacks are called, and global_step advances. [main] */
  broch_status (*run_empty)(const broch_host* host, const char* group);
} broch_plan_ext;

BROCH_C_END

#endif
