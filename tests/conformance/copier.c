/* copier.c: a callback whose operation copies one variable to another every so many steps. */
#include <broch/broch.h>
#include <stdlib.h>
#include <string.h>

typedef struct copier {
  const broch_host* host;
  const broch_host_config* config;
  const broch_host_operation* graph;
  const broch_host_progress* run;
  const broch_host_variables* variables;
  const broch_host_tower* tower;
  broch_operation copy;
  int64_t every;
} copier;

static broch_status create(const broch_host* host, const char* options, void** out) {
  copier* self = (copier*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->config = (const broch_host_config*)host->get_extension(host, BROCH_EXT_CONFIG);
  self->graph = (const broch_host_operation*)host->get_extension(host, BROCH_EXT_OPERATION);
  self->run = (const broch_host_progress*)host->get_extension(host, BROCH_EXT_PROGRESS);
  self->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  self->tower = (const broch_host_tower*)host->get_extension(host, BROCH_EXT_TOWER);
  *out = self;
  return self->config->get_i64(host, "/every", &self->every);
}

static void destroy(void* self) { free(self); }

static broch_status find(const copier* self, const char* pointer, broch_variable* variable) {
  const char* name = NULL;
  const broch_status status = self->config->get_string(self->host, pointer, &name);
  return status == BROCH_OK ? self->variables->find(self->host, name, variable) : status;
}

static broch_status describe(void* self_, broch_tower scope) {
  copier* self = (copier*)self_;
  broch_variable from = 0, to = 0;
  broch_tensor value = 0;
  broch_status status = find(self, "/from", &from);
  if (status == BROCH_OK) status = find(self, "/to", &to);
  if (status == BROCH_OK) status = self->variables->read(self->host, scope, from, &value);
  if (status == BROCH_OK) status = self->tower->update(self->host, scope, to, value, "copy");
  return status;
}

static broch_status setup_graph(void* self_) {
  copier* self = (copier*)self_;
  return self->graph->define(self->host, "copy", describe, self, &self->copy);
}

static broch_status trigger_step(void* self_) {
  copier* self = (copier*)self_;
  if (self->run->progress(self->host)->global_step % self->every != 0) return BROCH_OK;
  return self->graph->run(self->host, self->copy);
}

static const broch_callback callback = {
    .struct_size = sizeof(broch_callback),
    .setup_graph = setup_graph,
    .trigger_step = trigger_step,
};
static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}
static const broch_component_vtable vtable = {sizeof(broch_component_vtable), 0, create,
                                              get_interface, destroy};
static const broch_component components[] = {{"conformance.copier", "callback", &vtable}};
BROCH_PLUGIN(components,
             "{\"components\": [{\"id\": \"conformance.copier\", \"role\": \"callback\","
             " \"version\": \"1.0.0\", \"summary\": \"Copies a variable every so many steps.\","
             " \"options\": {\"type\": \"object\", \"properties\": {"
             "  \"from\": {\"type\": \"string\"}, \"to\": {\"type\": \"string\"},"
             "  \"every\": {\"type\": \"integer\", \"minimum\": 1}},"
             "  \"required\": [\"from\", \"to\", \"every\"], \"additionalProperties\": false}}]}")
