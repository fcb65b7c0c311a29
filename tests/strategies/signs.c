/* signs.c: an update rule in C: w -= learning_rate * sign(g), and no more after some updates. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdlib.h>
#include <string.h>

typedef struct signs {
  const broch_host* host;
  broch_opset ops;
  double rate;
  int64_t most;
  int32_t fails;
} signs;

static broch_status create(const broch_host* host, const char* options, void** out) {
  signs* self = (signs*)calloc(1, sizeof *self);
  const broch_host_config* config =
      (const broch_host_config*)host->get_extension(host, BROCH_EXT_CONFIG);
  broch_status status;
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  status = broch_opset_init(&self->ops, host);
  if (status == BROCH_OK) status = config->get_f64(host, "/learning_rate", &self->rate);
  if (status == BROCH_OK) status = config->get_i64(host, "/most", &self->most);
  if (status == BROCH_OK) status = config->get_bool(host, "/fails", &self->fails);
  if (status != BROCH_OK) {
    free(self);
    return status;
  }
  *out = self;
  return BROCH_OK;
}

static void destroy(void* self) { free(self); }

static broch_status spec(void* data, const broch_optimizer_spec* spec) {
  const signs* self = (const signs*)data;
  return spec->hyper_param(spec->context, "learning_rate", self->rate);
}

static broch_status update(void* data, const broch_update* update) {
  signs* self = (signs*)data;
  broch_opset* ops = &self->ops;
  const broch_tensor goes_on = broch_op_le_scalar(ops, update->number, broch_int(self->most));
  const broch_tensor rate = broch_op_mul(ops, update->hyper_params[0], goes_on);
  uint32_t i;
  for (i = 0; i < update->n; ++i)
    update->new_values[i] = broch_op_sub(
        ops, update->values[i], broch_op_mul(ops, broch_op_sign(ops, update->gradients[i]), rate),
        broch_int(1));
  if (self->fails) { /* and forgets to say so */
    update->new_values[0] = broch_op_mm(ops, update->values[0], update->values[0]);
    return BROCH_OK;
  }
  return broch_opset_status(ops);
}

static const broch_optimizer table = {sizeof(broch_optimizer), 0, spec, update, NULL};

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_OPTIMIZER) == 0 ? &table : NULL;
}

static const broch_component_vtable vtable = {sizeof(broch_component_vtable), 0, create,
                                              get_interface, destroy};
static const broch_component components[] = {{"test.signs", "optimizer", &vtable}};

BROCH_PLUGIN(
    components,
    "{\"components\": [{\"id\": \"test.signs\", \"role\": \"optimizer\", \"version\": "
    "\"1.0.0\", \"summary\": \"Steps of one length.\", \"options\": {\"type\": \"object\", "
    "\"properties\": {\"learning_rate\": {\"type\": \"number\"}, \"most\": {\"type\": "
    "\"integer\", \"default\": 1000}, \"fails\": {\"type\": \"boolean\", \"default\": false}}, "
    "\"required\": [\"learning_rate\"], "
    "\"additionalProperties\": false}}]}")
