/* bench_callback.c: the components of `broch bench host`: a callback that does as little as
 * possible in every hook of a step, and a model that publishes scalars for it. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- the callback */

typedef struct bench_callback {
  const broch_host* host;
  const broch_host_progress* run;
  const broch_host_metrics* metrics;
  const char* name; /* of the published scalar */
  int32_t measures; /* whether it times the epochs */
  uint32_t fetch;
  double sum; /* of the fetched values, so that the compiler cannot drop the reads */
  int64_t steps;
  struct timespec begin;
} bench_callback;

static broch_status callback_create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config =
      (const broch_host_config*)host->get_extension(host, BROCH_EXT_CONFIG);
  bench_callback* self = (bench_callback*)calloc(1, sizeof *self);
  broch_status status;
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->run = (const broch_host_progress*)host->get_extension(host, BROCH_EXT_PROGRESS);
  self->metrics = (const broch_host_metrics*)host->get_extension(host, BROCH_EXT_METRICS);
  if (config == NULL || self->run == NULL || self->metrics == NULL) {
    free(self);
    return host->fail(host, BROCH_E_UNIMPLEMENTED, "this host lacks config, run or metrics");
  }
  status = config->get_string(host, "/fetch", &self->name);
  if (status >= 0) status = config->get_bool(host, "/measure", &self->measures);
  if (status < 0) {
    free(self);
    return status;
  }
  *out = self;
  return BROCH_OK;
}

static broch_status callback_setup_graph(void* self_) {
  bench_callback* self = (bench_callback*)self_;
  return self->run->fetch(self->host, self->name, &self->fetch);
}

static broch_status callback_before_epoch(void* self_) {
  bench_callback* self = (bench_callback*)self_;
  self->steps = 0;
  clock_gettime(CLOCK_MONOTONIC, &self->begin);
  return BROCH_OK;
}

static broch_status callback_after_epoch(void* self_) {
  bench_callback* self = (bench_callback*)self_;
  struct timespec end;
  double nanoseconds;
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (!self->measures || self->steps == 0) return BROCH_OK;
  nanoseconds =
      (double)(end.tv_sec - self->begin.tv_sec) * 1e9 + (double)(end.tv_nsec - self->begin.tv_nsec);
  return self->metrics->put_scalar(self->host, "nanoseconds_per_step",
                                   nanoseconds / (double)self->steps);
}

/* fetches already has the bit of every declared fetch set, so the scalar is fetched in each run. */
static broch_status callback_before_run(void* self, broch_run run, uint64_t* fetches) {
  (void)self;
  (void)run;
  (void)fetches;
  return BROCH_OK;
}

static broch_status callback_after_run(void* self_, broch_run run) {
  bench_callback* self = (bench_callback*)self_;
  double value = 0;
  const broch_status status = self->run->scalar(self->host, run, self->fetch, &value);
  self->sum += value;
  return status;
}

static broch_status callback_trigger_step(void* self_) {
  bench_callback* self = (bench_callback*)self_;
  ++self->steps;
  return BROCH_OK;
}

static const broch_callback callback_role = {sizeof(broch_callback),
                                             0,
                                             callback_setup_graph,
                                             NULL,
                                             callback_before_epoch,
                                             callback_before_run,
                                             callback_after_run,
                                             callback_trigger_step,
                                             callback_after_epoch,
                                             NULL,
                                             NULL,
                                             NULL};

static const void* callback_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback_role : NULL;
}

/* --- the model */

enum { MAX_SCALARS = 1000 };

typedef struct bench_model {
  const broch_host* host;
  broch_opset ops;
  const broch_host_tower* tower;
  const broch_host_variables* variables;
  int64_t scalars;
  char names[MAX_SCALARS][16]; /* "scalar0", "scalar1", … */
} bench_model;

static broch_status model_create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config =
      (const broch_host_config*)host->get_extension(host, BROCH_EXT_CONFIG);
  bench_model* self = (bench_model*)calloc(1, sizeof *self);
  broch_status status;
  int i;
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  for (i = 0; i < MAX_SCALARS; ++i) snprintf(self->names[i], sizeof self->names[i], "scalar%d", i);
  self->host = host;
  self->tower = (const broch_host_tower*)host->get_extension(host, BROCH_EXT_TOWER);
  self->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  status = broch_opset_init(&self->ops, host);
  if (status >= 0 && (config == NULL || self->tower == NULL || self->variables == NULL))
    status = host->fail(host, BROCH_E_UNIMPLEMENTED, "this host lacks config, tower or variables");
  if (status >= 0) status = config->get_i64(host, "/scalars", &self->scalars);
  if (status < 0) {
    free(self);
    return status;
  }
  *out = self;
  return BROCH_OK;
}

static broch_status model_inputs(void* self, const broch_signature* signature) {
  static const broch_input_spec x = {"x", NULL, NULL, 0, BROCH_FLOAT32, 0, 0};
  (void)self;
  return signature->add(signature->context, &x);
}

/* cost = W * x, published as "scalar0", "scalar1", … */
static broch_status model_tower(void* self_, broch_tower tower, const broch_tensor* inputs,
                                uint32_t n, broch_tensor* cost) {
  bench_model* self = (bench_model*)self_;
  broch_variable_spec spec;
  broch_variable variable = 0;
  broch_tensor w = 0, published = 0;
  broch_status status;
  int64_t i;
  (void)n;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.flags = BROCH_VARIABLE_TRAINABLE;
  spec.initializer = BROCH_INIT_CONSTANT;
  spec.a = 1;
  status = self->variables->get(self->host, tower, "W", &spec, &variable, &w);
  if (status < 0) return status;
  *cost = broch_op_mul(&self->ops, inputs[0], w);
  status = broch_opset_status(&self->ops);
  for (i = 0; status >= 0 && i < self->scalars; ++i)
    status = self->tower->publish(self->host, tower, self->names[i], *cost, &published);
  return status;
}

static broch_status model_optimizer(void* self, const broch_writer* entry) {
  static const char kText[] = "{\"use\": \"sgd\", \"with\": {\"learning_rate\": 0.1}}";
  (void)self;
  return entry->write(entry->context, kText, sizeof kText - 1);
}

static const broch_model model_role = {sizeof(broch_model), 0,    model_inputs,
                                       model_tower,         NULL, model_optimizer};

static const void* model_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_MODEL) == 0 ? &model_role : NULL;
}

/* --- the library */

static void destroy(void* self) { free(self); }

static const broch_component_vtable callback_vtable = {
    sizeof(broch_component_vtable), 0, callback_create, callback_interface, destroy};
static const broch_component_vtable model_vtable = {sizeof(broch_component_vtable), 0, model_create,
                                                    model_interface, destroy};
static const broch_component components[] = {
    {"broch.callback.bench", "callback", &callback_vtable},
    {"broch.model.bench", "model", &model_vtable},
};

BROCH_PLUGIN(
    components,
    "{\"components\": ["
    "{\"id\": \"broch.callback.bench\", \"role\": \"callback\", \"version\": \"1.0.0\", "
    "\"produces\": [\"nanoseconds_per_step\"],"
    " \"summary\": \"Fetches one number in every step; for broch bench host.\","
    " \"options\": {\"type\": \"object\", \"properties\": {"
    "\"fetch\": {\"type\": \"string\", \"default\": \"scalar0\","
    " \"description\": \"Name of a published scalar.\"},"
    " \"measure\": {\"type\": \"boolean\", \"default\": false,"
    " \"description\": \"Set the metric nanoseconds_per_step after each epoch.\"}},"
    " \"additionalProperties\": false}},"
    "{\"id\": \"broch.model.bench\", \"role\": \"model\", \"version\": \"1.0.0\","
    " \"summary\": \"Publishes scalars and computes almost nothing; for broch bench host.\","
    " \"options\": {\"type\": \"object\", \"properties\": {"
    "\"scalars\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 1000,"
    " \"default\": 1,"
    " \"description\": \"Number of scalars, which are called scalar0, scalar1, and so on.\"}},"
    " \"additionalProperties\": false}}]}")
