/* ext/graph.h: operations over variables as objects: copy a target network, clip weights, reset a
 * state. Defined in any role's setup_graph, run plainly or in a plan. */
#ifndef BROCH_EXT_GRAPH_H
#define BROCH_EXT_GRAPH_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_GRAPH "broch.graph/1"

/* A description, like a tower function: reads variables with ext/variables.h, computes with ext/ops.h,
 * writes with ext/tower.h's update (anchor: any text). scope stands where those take a tower. [step] */
typedef broch_status (*broch_graph_fn)(void* user, broch_tower scope);

typedef struct broch_graph {
  uint32_t struct_size;
  uint32_t reserved;

  /* In setup_graph, where it calls fn once, for shapes: the variables that fn reads have to be there.
   * A tower's are from seal of its plan on, so a trainer defines after seal and puts the operation
   * into a plan of its own, or runs it; setup_graph of callbacks comes later. fn makes no variables
   * but LOCAL ones that are not trainable. It is recorded as a tower is and called again where
   * that needs it. name is for messages; user stays valid as long as the instance. [main] */
  broch_status (*define)(const broch_host* host, const char* name, broch_graph_fn fn, void* user,
                         broch_graph_op* op /* out */);

  /* Runs it now, without hooks; its updates are committed together. [main], not inside a run */
  broch_status (*run)(const broch_host* host, broch_graph_op op);
} broch_graph;

BROCH_C_END

#endif
