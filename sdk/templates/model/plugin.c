/* @FILE@.c: an autoencoder: a model that reproduces its input through a narrow layer. */
#include <broch/broch.h>
#include <broch/layers.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  broch_layers layers;
  int64_t features, units;
} Self;

static broch_status list_inputs(void* data, const broch_signature* signature) {
  const int64_t shape[2] = {-1, ((Self*)data)->features};
  const char* const dims[2] = {"B", NULL};
  const broch_input_spec x = {"x", shape, dims, 2, BROCH_FLOAT32, 0, 0};
  return signature->add(signature->context, &x);
}

/* The host calls this several times, so keep no state in self: whatever changes during training is
 * a variable. After a failure operators do nothing, and broch_opset_status returns the error. */
static broch_status build(void* data, broch_tower tower, const broch_tensor* inputs, uint32_t n,
                          broch_tensor* cost) {
  Self* self = data;
  broch_layers* layers = &self->layers;
  broch_tensor code, back;
  (void)n;
  code = broch_fully_connected(layers, tower, "encode", inputs[0], self->features, self->units);
  code = broch_op_tanh(&layers->ops, code);
  back = broch_fully_connected(layers, tower, "decode", code, self->units, self->features);
  *cost = broch_publish(layers, tower, "cost",
                        broch_op_mse_loss(&layers->ops, back, inputs[0], BROCH_REDUCTION_MEAN));
  return broch_opset_status(&layers->ops);
}

/* The default optimizer; "optimizer" in the manifest overrides it. */
static broch_status optimizer(void* self, const broch_writer* entry) {
  static const char text[] = BROCH_JSON({"use": "adam", "with": {"learning_rate": 0.01}});
  (void)self;
  return entry->write(entry->context, text, sizeof text - 1);
}

static const broch_model model = {
    .struct_size = sizeof model, .inputs = list_inputs, .tower = build, .optimizer = optimizer};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  /* These calls cannot fail: the options have defaults, and requires_ext lists the extensions. */
  broch_layers_init(&self->layers, host);
  config->get_i64(host, "/features", &self->features);
  config->get_i64(host, "/units", &self->units);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_MODEL) == 0 ? &model : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "model", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "model", "version": "0.1.0",
  "summary": "Gives back its input through a narrow layer.",
  "requires_ext": ["broch.config/1", "broch.ops/1", "broch.tower/1", "broch.variables/1"],
  "options": {
    "type": "object",
    "properties": {
      "features": {"type": "integer", "minimum": 1, "default": 4, "description": "Numbers of one input."},
      "units": {"type": "integer", "minimum": 1, "default": 2, "description": "Width of the narrow layer."}
    },
    "additionalProperties": false
  }
}]}))
