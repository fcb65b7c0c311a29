/* ext/model_graph.h: the model as a graph of operators: for pictures of it, counts and converters.
 *
 * It is the graph that `broch export` puts into a bundle. */
#ifndef BROCH_EXT_MODEL_GRAPH_H
#define BROCH_EXT_MODEL_GRAPH_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_MODEL_GRAPH "broch.model_graph/1"

typedef struct broch_host_model_graph {
  uint32_t struct_size;
  uint32_t reserved;

  /* What the model computes in inference from its inputs, up to the given published names. n 0: up
   * to the output that `broch predict` takes. *graph is JSON, valid until the next call on this
   * thread:
   *
   *   {"values": [{"name": "image", "dtype": "float32", "shape": ["B", 1, 8, 8]}, ...],
   *    "inputs": [0], "weights": [1, 2],
   *    "nodes": [{"operator": "aten::relu", "inputs": [5], "results": [6], "arguments": {}}, ...],
   *    "outputs": [{"name": "output", "value": 9}]}
   *
   *  - Values are numbered by their places in "values"; -1 stands for no tensor. Inputs and weights
   *    have a name, that of the input or the variable.
   *  - A size is a number, or a text such as "B" or "2 * B + 1": it follows from the sizes of
   *    inputs.
   *  - Nodes are in the order of computation. "arguments" has those that are no tensors, by their
   *    names in the schema of the operator.
   *
   * The tower function is called several times, with inputs of different sizes. Call it from
   * before_train to after_train. FAILED_PRECONDITION: the model cannot be written as a graph, for
   * example because it has kernels of a plugin; the message says why. [main] */
  broch_status (*of_model)(const broch_host* host, const char* const* outputs, uint32_t n,
                           const char** graph /* out */);
} broch_host_model_graph;

BROCH_C_END

#endif
