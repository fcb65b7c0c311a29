/* mlp.c: two layers that tell two kinds of points apart. */
#include <broch/broch.h>
#include <broch/layers.h>
#include <stdlib.h>

typedef struct Self {
  broch_layers net;
  int64_t units;
} Self;

static broch_status list_inputs(void* self, const broch_signature* signature) {
  static const int64_t shape[2] = {-1, 2};
  static const char* const dims[2] = {"B", NULL};
  const broch_input_spec position = {"position", shape, dims, 2, BROCH_FLOAT32, 0, 0};
  const broch_input_spec moon = {"moon", shape, dims, 1, BROCH_INT64, 0, 0};
  const broch_status status = signature->add(signature->context, &position);
  (void)self;
  return status == BROCH_OK ? signature->add(signature->context, &moon) : status;
}

static broch_status build(void* data, broch_tower tower, const broch_tensor* inputs, uint32_t n,
                          broch_tensor* cost) {
  Self* self = data;
  broch_layers* net = &self->net;
  broch_tensor x = inputs[0], wrong;
  (void)n;
  x = broch_op_relu(&net->ops, broch_fully_connected(net, tower, "hidden", x, 2, self->units));
  x = broch_fully_connected(net, tower, "last", x, self->units, 2);
  x = broch_publish(net, tower, "logits", x);
  wrong = broch_op_ne(&net->ops, broch_op_argmax(&net->ops, x, broch_int(1), 0), inputs[1]);
  wrong = broch_op_to_dtype(&net->ops, wrong, BROCH_FLOAT32, 0, 0);
  broch_publish(net, tower, "incorrect_vector", wrong);
  x = broch_op_cross_entropy_loss(&net->ops, x, inputs[1], 0, BROCH_REDUCTION_MEAN, -100, 0);
  *cost = broch_publish(net, tower, "cost", x);
  return broch_opset_status(&net->ops);
}

static const broch_model model = {
    .struct_size = sizeof model, .inputs = list_inputs, .tower = build};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  broch_layers_init(&self->net, host);
  config->get_i64(host, "/units", &self->units);
  *out = self;
  return BROCH_OK;
}
static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_MODEL) == 0 ? &model : NULL;
}
static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, free};
static const broch_component components[] = {{"net.outsider.mlp", "model", &vtable}};

// clang-format off
BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "net.outsider.mlp", "role": "model", "version": "1.0.0", "summary": "Two layers that tell two kinds of points apart.",
  "requires_ext": ["broch.config/1", "broch.ops/1", "broch.tower/1", "broch.variables/1"],
  "options": {"type": "object", "properties": {"units": {"type": "integer", "minimum": 1, "default": 16}},
              "additionalProperties": false}}]}))
