/* parity_c.c: the network of the parity test as a plugin in C. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdlib.h>

typedef struct net {
  const broch_host* host;
  broch_opset ops;
  const broch_tower_ext* tower;
  const broch_variables* variables;
} net;

static broch_tensor variable(net* self, broch_tower tower, const char* name, const int64_t* shape,
                             uint32_t rank, int32_t initializer) {
  broch_variable_spec spec;
  broch_variable handle;
  broch_tensor value = 0;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.rank = rank;
  spec.flags = BROCH_VARIABLE_TRAINABLE;
  spec.shape = shape;
  spec.initializer = initializer;
  spec.a = initializer == BROCH_INIT_HE_NORMAL ? 1 : 0;
  if (self->ops.status == BROCH_OK)
    self->ops.status = self->variables->get(self->host, tower, name, &spec, &handle, &value);
  return value;
}

static broch_tensor conv(net* self, broch_tower tower, const char* scope, broch_tensor x,
                         int64_t in, int64_t out, int64_t stride) {
  const int64_t shape[4] = {out, in, 3, 3}, strides[2] = {stride, stride}, ones[2] = {1, 1};
  broch_tensor w, b;
  self->variables->scope_push(self->host, tower, scope);
  w = variable(self, tower, "W", shape, 4, BROCH_INIT_HE_NORMAL);
  b = variable(self, tower, "b", shape, 1, BROCH_INIT_CONSTANT);
  self->variables->scope_pop(self->host, tower);
  return broch_relu(&self->ops, broch_conv2d(&self->ops, x, w, b, strides, 2, ones, 2, ones, 2, 1));
}

static broch_tensor connected(net* self, broch_tower tower, const char* scope, broch_tensor x,
                              int64_t in, int64_t out) {
  const int64_t shape[2] = {out, in};
  broch_tensor w, b;
  self->variables->scope_push(self->host, tower, scope);
  w = variable(self, tower, "W", shape, 2, BROCH_INIT_HE_NORMAL);
  b = variable(self, tower, "b", shape, 1, BROCH_INIT_CONSTANT);
  self->variables->scope_pop(self->host, tower);
  return broch_linear(&self->ops, x, w, b);
}

static broch_status build(void* self_, broch_tower tower, const broch_tensor* inputs, uint32_t n,
                          broch_tensor* cost) {
  net* self = (net*)self_;
  broch_opset* ops = &self->ops;
  broch_tensor x = conv(self, tower, "conv1", inputs[0], 1, 7, 1);
  (void)n;
  x = broch_flatten(ops, conv(self, tower, "conv2", x, 7, 33, 2), 1, -1);
  x = broch_relu(ops, connected(self, tower, "fc1", x, 33 * 6 * 6, 51));
  x = broch_cross_entropy_loss(ops, connected(self, tower, "fc2", x, 51, 10), inputs[1], 0, 1, -100,
                               0);
  if (ops->status == BROCH_OK)
    ops->status = self->tower->publish(self->host, tower, "cost", x, cost);
  return broch_opset_status(ops);
}

static broch_status inputs(void* self, const broch_signature* signature) {
  static const int64_t shape[4] = {-1, 1, 12, 12};
  static const char* const dims[4] = {"B", NULL, NULL, NULL};
  static const broch_input_spec image = {"image", shape, dims, 4, BROCH_FLOAT32};
  static const broch_input_spec label = {"label", shape, dims, 1, BROCH_INT64};
  const broch_status status = signature->add(signature->context, &image);
  (void)self;
  return status < 0 ? status : signature->add(signature->context, &label);
}

static broch_status create(const broch_host* host, const char* options, void** out) {
  net* self = (net*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->tower = (const broch_tower_ext*)host->get_extension(host, BROCH_EXT_TOWER);
  self->variables = (const broch_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  *out = self;
  return broch_opset_init(&self->ops, host);
}

static void destroy(void* self) { free(self); }

static const broch_model model = {sizeof(broch_model), 0, inputs, build, NULL, NULL};

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_MODEL) == 0 ? &model : NULL;
}

static const broch_component_vtable vtable = {sizeof(broch_component_vtable), 0, create,
                                              get_interface, destroy};
static const broch_component components[] = {{"parity.c", "model", &vtable}};
BROCH_PLUGIN(components,
             "{\"components\": [{\"id\": \"parity.c\", \"role\": \"model\", \"version\": \"1.0.0\","
             " \"summary\": \"A small convolutional network.\", \"options\": {\"type\": \"object\","
             " \"properties\": {}, \"additionalProperties\": false}}]}")
