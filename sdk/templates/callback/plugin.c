/* @FILE@.c: a callback that reports the mean of a value, after each epoch or when it is told to. */
#include <broch/broch.h>
#include <stdio.h>
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

static broch_status after_run(void* data, broch_run run) {
  Self* self = data;
  double value = 0;
  const broch_status status = self->run->scalar(self->host, run, self->fetch, &value);
  if (status != BROCH_OK) return status == BROCH_NONE ? BROCH_OK : status;
  self->sum += value;
  ++self->steps;
  return BROCH_OK;
}

/* Called after each epoch, or when "when" in the manifest says so. */
static broch_status trigger(void* data) {
  Self* self = data;
  double mean;
  if (self->steps == 0) return BROCH_OK;
  mean = self->sum / (double)self->steps;
  self->sum = 0;
  self->steps = 0;
  return self->metrics->put_scalar(self->host, self->metric, mean);
}

static const broch_callback callback = {.struct_size = sizeof callback,
                                        .setup_graph = setup_graph,
                                        .after_run = after_run,
                                        .trigger = trigger};

/* A run may be resumed between two reports. */
static broch_status save(void* data, const broch_writer* writer) {
  Self* self = data;
  char text[64];
  const int length =
      snprintf(text, sizeof text, "%.17g %lld", self->sum, (long long)self->steps);
  return writer->write(writer->context, text, (uint64_t)length);
}

static broch_status load(void* data, uint32_t version, const void* bytes, uint64_t size) {
  Self* self = data;
  char text[64] = "", *steps = text;
  (void)version;
  if (size == 0 || size >= sizeof text)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS,
                            "these are not a sum and a number of steps");
  memcpy(text, bytes, size);
  self->sum = strtod(text, &steps);
  self->steps = strtoll(steps, NULL, 10);
  return BROCH_OK;
}

static const broch_plugin_state state = {
    .struct_size = sizeof state, .version = 1, .save = save, .load = load};

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
  if (strcmp(id, BROCH_PLUGIN_STATE) == 0) return &state;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "callback", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "callback", "version": "0.1.0",
  "summary": "Reports the mean of a value.",
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
