/* plan_nodes.h: the kinds of nodes of a plan, and the options of each.
 *
 * The options of every kind are a struct that begins with broch_node_options. A struct of zeros,
 * apart from struct_size, has the defaults, and so has NULL in its place:
 *
 *   const broch_reduce_node sum = {{sizeof sum}, .mode = BROCH_REDUCE_SUM};
 *   plans->add(host, plan, BROCH_NODE_REDUCE, lists, 2, &sum.node, &node);
 *
 * Everything that a struct points to is borrowed for the call. Replicas of the variables are named
 * by the vs_name of their tower, "" being the first. A list of gradients is the result of a
 * gradients, reduce, all_reduce or process node. Nodes that communicate with other ranks have to
 * run on all ranks, equally often and in the same order. */
#ifndef BROCH_PLAN_NODES_H
#define BROCH_PLAN_NODES_H

#include "value.h"

BROCH_C_BEGIN

/* What all nodes have. A member of other structs, so frozen. */
typedef struct broch_node_options {
  uint32_t struct_size; /* of the whole struct, for example sizeof(broch_tower_node) */
  /* The node takes part in those runs of its plan whose number (from 0) leaves, divided by every,
   * one of the offsets as remainder; all of its inputs must take part in them. every 0: whenever
   * all of its inputs do. offsets NULL: {0}. */
  uint32_t every;
  const uint32_t* offsets;
  uint32_t offset_count;
  uint32_t flags;   /* 0; others are refused */
  const char* name; /* for messages and hyper-parameters; NULL: kind and place, as "apply3" */
} broch_node_options;

/* Takes one data point for each of these towers from the input of the run. Inputs: none. */
#define BROCH_NODE_INPUT "broch.plan.input/1"
typedef struct broch_input_node {
  broch_node_options node;
  const uint32_t* towers; /* indices, each once; NULL: {0} */
  uint32_t tower_count;
  uint32_t reserved;
} broch_input_node;

/* Calls the tower function. Inputs: an input node, or none. */
#define BROCH_NODE_TOWER "broch.plan.tower/1"
typedef struct broch_tower_node {
  broch_node_options node;
  const char* name;    /* of the tower, "tower0"; NULL: "" */
  const char* vs_name; /* scope of its variables, "tower1"; NULL: "" */
  uint32_t index;      /* less than total */
  uint32_t total;      /* number of training towers; 0: 1 */
  const char* device;  /* "cpu:N" or "cuda:N"; "cuda": the GPU of the local rank; NULL: "cpu:0" */
  /* Each variable that this tower creates goes to the device with the fewest elements so far, the
   * first if equal. NULL: to the device of the tower. */
  const char* const* variable_devices;
  uint32_t variable_device_count;
  int32_t inference; /* 1: in inference mode; 0: in training mode */
} broch_tower_node;

/* Gradients of a cost with respect to variables. Inputs: one tower. */
#define BROCH_NODE_GRADIENTS "broch.plan.gradients/1"
typedef struct broch_gradients_node {
  broch_node_options node;
  const char* cost;      /* a published name; NULL: what the tower function returned */
  const char* variables; /* regular expression for whole names; NULL: all that are trainable */
} broch_gradients_node;

/* How a reduce node adds. */
enum {
  BROCH_ADD_IN_ORDER = 0, /* in the order of the inputs */
  /* NCCL adds, in its own order, if each list is on a GPU of its own; otherwise in order. */
  BROCH_ADD_BY_NCCL = 1
};

/* Combines lists of the same variables. Inputs: one list or more. */
#define BROCH_NODE_REDUCE "broch.plan.reduce/1"
typedef struct broch_reduce_node {
  broch_node_options node;
  int32_t mode;      /* BROCH_REDUCE_SUM or BROCH_REDUCE_MEAN; 0: mean */
  int32_t algorithm; /* BROCH_ADD_IN_ORDER or BROCH_ADD_BY_NCCL */
  double scale;      /* the result is multiplied by it; 0: 1 */
} broch_reduce_node;

/* What all_reduce sends in place of float32. */
enum { BROCH_COMPRESSION_NONE = 0, BROCH_COMPRESSION_FLOAT16 = 1 };

/* Combines the lists of all ranks, added in the order of ranks. Inputs: one list, which with one
 * rank is the result. */
#define BROCH_NODE_ALL_REDUCE "broch.plan.all_reduce/1"
typedef struct broch_all_reduce_node {
  broch_node_options node;
  int32_t mode;        /* BROCH_REDUCE_SUM or BROCH_REDUCE_MEAN; 0: mean */
  int32_t compression; /* BROCH_COMPRESSION_… */
  double scale;        /* the result is multiplied by it; 0: 1 */
} broch_all_reduce_node;

/* Applies gradient processors. Inputs: one list. */
#define BROCH_NODE_PROCESS "broch.plan.process/1"
typedef struct broch_process_node {
  broch_node_options node;
  const char* const* processors; /* manifest entries as JSON text; NULL: those of the manifest */
  uint32_t processor_count;
  uint32_t reserved;
} broch_process_node;

/* Updates the variables. Inputs: one list. */
#define BROCH_NODE_APPLY "broch.plan.apply/1"
typedef struct broch_apply_node {
  broch_node_options node;
  const char* optimizer; /* manifest entry as JSON text; NULL: of the manifest, else of the model */
  const char* variables; /* regular expression for whole names; NULL: all of the list */
  const char* replica;   /* whose variables are updated instead; NULL: those of the list */
} broch_apply_node;

/* As apply, but on the parameter servers, which keep the variables and their slots. The lists of
 * all ranks that train are applied one after the other, in the order of ranks. Then all of these
 * ranks, and the replicas in to, receive the values. Inputs: one list. */
#define BROCH_NODE_SERVE "broch.plan.serve/1"
typedef struct broch_serve_node {
  broch_node_options node;
  const char* optimizer; /* as for apply */
  const char* variables;
  const char* const* to;
  uint32_t to_count;
  uint32_t reserved;
} broch_serve_node;

/* Copies all variables of one replica to those with the same names of others, with the slots of
 * optimizers. Inputs: any. */
#define BROCH_NODE_COPY "broch.plan.copy/1"
typedef struct broch_copy_node {
  broch_node_options node;
  const char* from; /* NULL: "" */
  const char* const* to;
  uint32_t to_count; /* at least 1 */
  int32_t check;     /* 1: first fails if a trainable variable differs in its bits */
} broch_copy_node;

/* All variables that are not LOCAL get the values that they have on rank root. Inputs: any. */
#define BROCH_NODE_BROADCAST "broch.plan.broadcast/1"
typedef struct broch_broadcast_node {
  broch_node_options node;
  uint32_t root;
  uint32_t reserved;
} broch_broadcast_node;

BROCH_C_END

#endif
