/* layers.h: variables, layers and published names of a tower function in C. Errors are remembered
 * as in opset.h: after the first failure the functions do nothing, and the tower function ends with
 *   return broch_opset_status(&self->layers.ops);
 * C++ has more layers, in layers.hpp. */
#ifndef BROCH_LAYERS_H
#define BROCH_LAYERS_H

#include "ext/tower.h"
#include "ext/variables.h"
#include "opset.h"

typedef struct broch_layers {
  broch_opset ops;
  const broch_host_tower* towers;
  const broch_host_variables* variables;
} broch_layers;

/* Call it in create. UNIMPLEMENTED: the host lacks one of the extensions. [main] */
static inline broch_status broch_layers_init(broch_layers* layers, const broch_host* host) {
  layers->towers = (const broch_host_tower*)host->get_extension(host, BROCH_EXT_TOWER);
  layers->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  if (layers->towers == NULL || layers->variables == NULL)
    return host->fail(host, BROCH_E_UNIMPLEMENTED, "this host has no towers or no variables");
  return broch_opset_init(&layers->ops, host);
}

/* Creates or reuses a trainable float32 variable under the open scopes and returns its value.
 * initializer: BROCH_INIT_… (ext/variables.h) with its parameter a. [step] */
static inline broch_tensor broch_trainable(broch_layers* layers, broch_tower tower,
                                           const char* name, const int64_t* shape, uint32_t rank,
                                           int32_t initializer, double a) {
  broch_variable_spec spec;
  broch_variable variable = 0;
  broch_tensor value = 0;
  if (layers->ops.status < 0) return 0;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.rank = rank;
  spec.flags = BROCH_VARIABLE_TRAINABLE;
  spec.shape = shape;
  spec.initializer = initializer;
  spec.a = a;
  layers->ops.status =
      layers->variables->get(layers->ops.host, tower, name, &spec, &variable, &value);
  return value;
}

/* Publishes a tensor under a name. Continue with the tensor that is returned: if the name is being
 * fed, it is the fed value. [step] */
static inline broch_tensor broch_publish(broch_layers* layers, broch_tower tower, const char* name,
                                         broch_tensor tensor) {
  broch_tensor published = 0;
  if (layers->ops.status >= 0)
    layers->ops.status = layers->towers->publish(layers->ops.host, tower, name, tensor, &published);
  return published;
}

/* A fully connected layer. x: (N, in). Returns x W' + b, of shape (N, out), with the variables
 * {scope}/W of shape (out, in) and {scope}/b of shape (out). [step] */
static inline broch_tensor broch_fully_connected(broch_layers* layers, broch_tower tower,
                                                 const char* scope, broch_tensor x, int64_t in,
                                                 int64_t out) {
  int64_t shape[2];
  broch_tensor w, b, y;
  shape[0] = out;
  shape[1] = in;
  if (layers->ops.status >= 0)
    layers->ops.status = layers->variables->scope_push(layers->ops.host, tower, scope);
  w = broch_trainable(layers, tower, "W", shape, 2, BROCH_INIT_HE_NORMAL, 1);
  b = broch_trainable(layers, tower, "b", shape, 1, BROCH_INIT_CONSTANT, 0);
  y = broch_op_linear(&layers->ops, x, w, b); /* inside the scope, so that error messages name it */
  if (layers->ops.status >= 0)
    layers->ops.status = layers->variables->scope_pop(layers->ops.host, tower);
  return y;
}

#endif
