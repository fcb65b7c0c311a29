/* @FILE@.c: a gradient processor that limits the norm of each gradient separately. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  broch_opset ops;
  double length;
} Self;

/* The host calls this to record the computation and replays the recording in each step. So use
 * operators only, and keep no state in self. */
static broch_status process(void* data, broch_tower scope, const broch_variable* variables,
                            const broch_tensor* gradients, uint32_t n, broch_tensor* results) {
  Self* self = data;
  broch_opset* ops = &self->ops;
  (void)scope, (void)variables;
  for (uint32_t i = 0; i < n; ++i) {
    broch_tensor norm =
        broch_op_linalg_vector_norm(ops, gradients[i], broch_int(2), NULL, 0, 0, 0);
    broch_tensor share = broch_op_div_scalar(ops, norm, broch_double(self->length));
    results[i] = broch_op_div(ops, gradients[i], broch_op_clamp_min(ops, share, broch_int(1)));
  }
  return broch_opset_status(ops);
}

static const broch_gradient_processor processor = {.struct_size = sizeof processor,
                                                   .process = process};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  broch_status status;
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  status = broch_opset_init(&self->ops, host);
  if (status >= 0) status = config->get_f64(host, "/length", &self->length);
  if (status < 0) free(self);
  *out = self;
  return status;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_GRADIENT_PROCESSOR) == 0 ? &processor : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "gradient_processor", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "gradient_processor", "version": "0.1.0",
  "summary": "Shortens each gradient by itself.",
  "requires_ext": ["broch.config/1"],
  "options": {
    "type": "object",
    "properties": {
      "length": {"type": "number", "exclusiveMinimum": 0, "default": 1, "description": "Largest norm that passes unchanged."}
    },
    "additionalProperties": false
  }
}]}))
