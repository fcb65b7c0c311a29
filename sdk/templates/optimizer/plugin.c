/* @FILE@.c: the optimizer Lion (Chen et al. 2023): each step follows the sign of an average of the
 * gradients, so that, without weight decay, all its elements have the same size. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdlib.h>
#include <string.h>

enum { RATE, BETA1, BETA2, DECAY, HYPER_PARAMS };
static const char* const names[HYPER_PARAMS] = {"/learning_rate", "/beta1", "/beta2", "/weight_decay"};

typedef struct Self {
  broch_opset ops;
  double hyper_params[HYPER_PARAMS];
} Self;

static broch_status spec(void* data, const broch_optimizer_spec* spec) {
  const Self* self = data;
  broch_status status = spec->slot(spec->context, "mean", 0);
  for (int i = 0; i < HYPER_PARAMS && status >= 0; ++i)
    status = spec->hyper_param(spec->context, names[i] + 1, self->hyper_params[i]);
  return status;
}

/* The host calls this to record the computation and replays the recording in each step. So use
 * operators only, and keep no state in self. */
static broch_status update(void* data, const broch_update* update) {
  Self* self = data;
  broch_opset* ops = &self->ops;
  const broch_tensor* hyper_params = update->hyper_params;
  for (uint32_t i = 0; i < update->n; ++i) {
    broch_tensor value = update->values[i], gradient = update->gradients[i], mean = update->slots[i];
    broch_tensor mixed = broch_op_lerp(ops, gradient, mean, hyper_params[BETA1]);
    broch_tensor decay = broch_op_mul(ops, value, hyper_params[DECAY]);
    broch_tensor step = broch_op_add(ops, broch_op_sign(ops, mixed), decay, broch_int(1));
    broch_tensor change = broch_op_mul(ops, step, hyper_params[RATE]);
    update->new_values[i] = broch_op_sub(ops, value, change, broch_int(1));
    update->new_slots[i] = broch_op_lerp(ops, gradient, mean, hyper_params[BETA2]);
  }
  return broch_opset_status(ops);
}

static const broch_optimizer optimizer = {
    .struct_size = sizeof optimizer, .spec = spec, .update = update};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  broch_status status;
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  status = broch_opset_init(&self->ops, host);
  for (int i = 0; i < HYPER_PARAMS && status >= 0; ++i)
    status = config->get_f64(host, names[i], &self->hyper_params[i]);
  if (status < 0) free(self);
  *out = self;
  return status;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_OPTIMIZER) == 0 ? &optimizer : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "optimizer", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "optimizer", "version": "0.1.0",
  "summary": "Lion: steps along the sign of a mean of gradients.",
  "requires_ext": ["broch.config/1"],
  "options": {
    "type": "object",
    "properties": {
      "learning_rate": {"type": "number", "minimum": 0, "default": 0.0001, "description": "Length of a step."},
      "beta1": {"type": "number", "default": 0.9, "description": "Share of the mean in the direction."},
      "beta2": {"type": "number", "default": 0.99, "description": "Decay of the mean."},
      "weight_decay": {"type": "number", "default": 0, "description": "Share of the weight that is taken off."}
    },
    "additionalProperties": false
  }
}]}))
