/* parity_c.c: the network of the parity test as a plugin in C. */
#include <broch/broch.h>
#include <broch/layers.h>
#include <stdlib.h>

typedef struct net {
  broch_layers layers;
} net;

static broch_tensor conv(net* self, broch_tower tower, const char* scope, broch_tensor x,
                         int64_t in, int64_t out, int64_t stride) {
  const int64_t shape[4] = {out, in, 3, 3}, strides[2] = {stride, stride}, ones[2] = {1, 1};
  broch_layers* layers = &self->layers;
  broch_tensor w, b;
  layers->variables->scope_push(layers->ops.host, tower, scope);
  w = broch_trainable(layers, tower, "W", shape, 4, BROCH_INIT_HE_NORMAL, 1);
  b = broch_trainable(layers, tower, "b", shape, 1, BROCH_INIT_CONSTANT, 0);
  layers->variables->scope_pop(layers->ops.host, tower);
  x = broch_op_conv2d(&layers->ops, x, w, b, strides, 2, ones, 2, ones, 2, 1);
  return broch_op_relu(&layers->ops, x);
}

static broch_status build(void* self_, broch_tower tower, const broch_tensor* inputs, uint32_t n,
                          broch_tensor* cost) {
  net* self = (net*)self_;
  broch_layers* layers = &self->layers;
  broch_opset* ops = &layers->ops;
  broch_tensor x = conv(self, tower, "conv1", inputs[0], 1, 7, 1);
  (void)n;
  x = broch_op_flatten(ops, conv(self, tower, "conv2", x, 7, 33, 2), 1, -1);
  x = broch_op_relu(ops, broch_fully_connected(layers, tower, "fc1", x, 33 * 6 * 6, 51));
  x = broch_fully_connected(layers, tower, "fc2", x, 51, 10);
  x = broch_op_cross_entropy_loss(ops, x, inputs[1], 0, 1, -100, 0);
  *cost = broch_publish(layers, tower, "cost", x);
  return broch_opset_status(ops);
}

static broch_status inputs(void* self, const broch_signature* signature) {
  static const int64_t shape[4] = {-1, 1, 12, 12};
  static const char* const dims[4] = {"B", NULL, NULL, NULL};
  static const broch_input_spec image = {"image", shape, dims, 4, BROCH_FLOAT32, 0, 0};
  static const broch_input_spec label = {"label", shape, dims, 1, BROCH_INT64, 0, 0};
  const broch_status status = signature->add(signature->context, &image);
  (void)self;
  return status < 0 ? status : signature->add(signature->context, &label);
}

static broch_status create(const broch_host* host, const char* options, void** out) {
  net* self = (net*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  *out = self;
  return broch_layers_init(&self->layers, host);
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
