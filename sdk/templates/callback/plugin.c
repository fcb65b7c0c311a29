/* @FILE@.c: a callback that reports the mean of a value over each epoch. */
#include <broch/broch.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_progress* run;
  const broch_host_metrics* metrics;
  const char *value, *metric; /* borrowed until destroy */
  uint32_t fetch;
  double sum;
  int64_t steps;
} Self;

static broch_status setup_graph(void* data) {
  Self* self = data;
  return self->run->fetch(self->host, self->value, &self->fetch);
}

static broch_status before_epoch(void* data) {
  Self* self = data;
  self->sum = 0;
  self->steps = 0;
  return BROCH_OK;
}

static broch_status after_run(void* data, broch_run run) {
  Self* self = data;
  double value = 0;
  const broch_status status = self->run->scalar(self->host, run, self->fetch, &value);
  if (status != BROCH_OK) return status == BROCH_NONE ? BROCH_OK : status;
  self->sum += value;
  ++self->steps;
  return BROCH_OK;
}

static broch_status trigger_epoch(void* data) {
  Self* self = data;
  if (self->steps == 0) return BROCH_OK;
  return self->metrics->put_scalar(self->host, self->metric, self->sum / (double)self->steps);
}

static const broch_callback callback = {.struct_size = sizeof callback,
                                        .setup_graph = setup_graph,
                                        .before_epoch = before_epoch,
                                        .after_run = after_run,
                                        .trigger_epoch = trigger_epoch};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->run = host->get_extension(host, BROCH_EXT_PROGRESS);
  self->metrics = host->get_extension(host, BROCH_EXT_METRICS);
  /* The schema below has defaults for both options, so these calls cannot fail. */
  config->get_string(host, "/value", &self->value);
  config->get_string(host, "/metric", &self->metric);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "callback", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "callback", "version": "0.1.0",
  "summary": "Reports the mean of a value over each epoch.",
  "requires_ext": ["broch.config/1", "broch.progress/1", "broch.metrics/1"],
  "options": {
    "type": "object",
    "properties": {
      "value": {"type": "string", "default": "cost", "description": "Published name of one number."},
      "metric": {"type": "string", "default": "mean_cost", "description": "Name of what is reported."}
    },
    "additionalProperties": false
  }
}]}))
