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

  /* In setup_graph. name is for messages; user stays valid as long as the instance. [main] */
  broch_status (*define)(const broch_host* host, const char* name, broch_graph_fn fn, void* user,
                         broch_graph_op* op /* out */);

  /* Runs it now, without hooks; its updates are committed together. [main], not inside a run */
  broch_status (*run)(const broch_host* host, broch_graph_op op);
} broch_graph;

BROCH_C_END

#endif
