/* @FILE@.c: a trainer whose step consists of several updates, each with a new data point. */
#include <broch/broch.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_plan* plans;
  const char* device; /* borrowed until destroy */
  int64_t updates;
  broch_plan plan;
} Self;

/* Adds a node that depends on *node (0: on none) and stores the new node in *node. */
static broch_status add(Self* self, const char* kind, const broch_node_options* options,
                        broch_node* node) {
  return self->plans->add(self->host, self->plan, kind, node, *node ? 1 : 0, options, node);
}

static broch_status setup_graph(void* data) {
  Self* self = data;
  broch_node node = 0;
  const broch_tower_node tower = {.node = {.struct_size = sizeof tower}, .device = self->device};
  broch_status status = self->plans->create(self->host, "train", &self->plan);
  if (status == BROCH_OK) status = add(self, BROCH_NODE_INPUT, NULL, &node);
  if (status == BROCH_OK) status = add(self, BROCH_NODE_TOWER, &tower.node, &node);
  if (status == BROCH_OK) status = add(self, BROCH_NODE_GRADIENTS, NULL, &node);
  if (status == BROCH_OK) status = add(self, BROCH_NODE_PROCESS, NULL, &node);
  if (status == BROCH_OK) status = add(self, BROCH_NODE_APPLY, NULL, &node);
  return status == BROCH_OK ? self->plans->seal(self->host, self->plan) : status;
}

/* Each run is hooked: callbacks are called, and global_step advances by one. */
static broch_status run_step(void* data) {
  Self* self = data;
  broch_status status = BROCH_OK;
  for (int64_t i = 0; status == BROCH_OK && i < self->updates; ++i)
    status = self->plans->run(self->host, self->plan, 1, NULL);
  return status;
}

static const broch_trainer trainer = {
    .struct_size = sizeof trainer, .setup_graph = setup_graph, .run_step = run_step};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->plans = host->get_extension(host, BROCH_EXT_PLAN);
  /* The schema below has defaults for both options, so these calls cannot fail. */
  config->get_string(host, "/device", &self->device);
  config->get_i64(host, "/updates", &self->updates);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_TRAINER) == 0 ? &trainer : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "trainer", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "trainer", "version": "0.1.0",
  "summary": "Several updates in each step.",
  "requires_ext": ["broch.config/1", "broch.plan/1"],
  "options": {
    "type": "object",
    "properties": {
      "device": {"type": "string", "default": "cpu:0", "description": "Of the one tower."},
      "updates": {"type": "integer", "minimum": 1, "default": 2, "description": "In each step."}
    },
    "additionalProperties": false
  }
}]}))
