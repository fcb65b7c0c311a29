/* @FILE@.c: a session init that sets variables to a value given in the manifest. */
#include <broch/broch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_variables* variables;
  const char* prefix; /* borrowed until destroy */
  double value;
} Self;

static broch_status start_at(Self* self, broch_variable variable, const broch_variable_info* info) {
  broch_dl_tensor view = {.device = {BROCH_DL_CPU, 0}, .dtype = {BROCH_DL_FLOAT, 32, 1}};
  int64_t elements = 1;
  float* values;
  char line[256];
  broch_status status;
  if (info->dtype != BROCH_FLOAT32)
    return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT, "a variable is not float32");
  for (uint32_t d = 0; d < info->rank; ++d) elements *= info->shape[d];
  values = malloc((size_t)(elements + 1) * sizeof *values);
  if (values == NULL)
    return self->host->fail(self->host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  for (int64_t i = 0; i < elements; ++i) values[i] = (float)self->value;
  view.data = values;
  view.ndim = (int32_t)info->rank;
  view.shape = (int64_t*)info->shape;
  status = self->variables->assign(self->host, variable, &view);
  free(values);
  if (status != BROCH_OK) return status;
  snprintf(line, sizeof line, "%s starts at %f", info->name, self->value);
  self->host->log(self->host, BROCH_LOG_INFO, line);
  return BROCH_OK;
}

static broch_status start_all(Self* self, broch_variable* list, uint32_t room) {
  uint32_t count = 0;
  broch_status status = self->variables->list(self->host, 0, BROCH_VARIABLE_TRAINABLE, list, room,
                                              &count);
  for (uint32_t i = 0; status == BROCH_OK && i < count; ++i) {
    broch_variable_info info = {.struct_size = sizeof info};
    status = self->variables->info(self->host, list[i], &info);
    if (status == BROCH_OK && strncmp(info.name, self->prefix, strlen(self->prefix)) == 0)
      status = start_at(self, list[i], &info);
  }
  return status;
}

static broch_status init(void* data) {
  Self* self = data;
  broch_variable* list;
  uint32_t count = 0;
  broch_status status =
      self->variables->list(self->host, 0, BROCH_VARIABLE_TRAINABLE, NULL, 0, &count);
  if (status != BROCH_OK) return status;
  list = malloc((size_t)(count + 1) * sizeof *list);
  if (list == NULL)
    return self->host->fail(self->host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  status = start_all(self, list, count);
  free(list);
  return status;
}

static const broch_session_init session_init = {.struct_size = sizeof session_init, .init = init};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->variables = host->get_extension(host, BROCH_EXT_VARIABLES);
  /* The schema below has defaults for both options, so these calls cannot fail. */
  config->get_string(host, "/prefix", &self->prefix);
  config->get_f64(host, "/value", &self->value);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_SESSION_INIT) == 0 ? &session_init : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "session_init", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "session_init", "version": "0.1.0",
  "summary": "Starts trainable variables at a value.",
  "requires_ext": ["broch.config/1", "broch.variables/1"],
  "options": {
    "type": "object",
    "properties": {
      "prefix": {"type": "string", "default": "", "description": "Of the names of the variables."},
      "value": {"type": "number", "default": 0, "description": "Of all their elements."}
    },
    "additionalProperties": false
  }
}]}))
