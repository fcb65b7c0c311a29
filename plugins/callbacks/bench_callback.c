/* bench_callback.c: the components of `broch bench host`: a callback that does as little as
 * possible in every hook of a step, and a model that publishes scalars for it. The model also
 * stands in for another one where only the data is of interest. */
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
  const char* name;   /* of the published scalar */
  const char* metric; /* NULL: it does not time the epochs */
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
  if (status >= 0 && config->kind(host, "/metric") == BROCH_CONFIG_STRING)
    status = config->get_string(host, "/metric", &self->metric);
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
  if (self->metric == NULL || self->steps == 0) return BROCH_OK;
  nanoseconds =
      (double)(end.tv_sec - self->begin.tv_sec) * 1e9 + (double)(end.tv_nsec - self->begin.tv_nsec);
  return self->metrics->put_scalar(self->host, self->metric, nanoseconds / (double)self->steps);
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

enum { MAX_SCALARS = 1000, MAX_INPUTS = 16, MAX_RANK = 8 };

/* The names of dtypes, by broch_dtype. */
static const char* const dtype_names[] = {"",     "float32",   "float64",   "float16", "bfloat16",
                                          "int8", "int16",     "int32",     "int64",   "uint8",
                                          "bool", "complex64", "complex128"};

typedef struct bench_input {
  const char* name;
  char own_name[8]; /* "x", "x1", "x2", …, where the options give none */
  int64_t shape[MAX_RANK];
  uint32_t rank;
  broch_dtype dtype;
} bench_input;

typedef struct bench_model {
  const broch_host* host;
  broch_opset ops;
  const broch_host_tower* tower;
  const broch_host_variables* variables;
  int64_t scalars;
  char names[MAX_SCALARS][16]; /* "scalar0", "scalar1", … */
  bench_input inputs[MAX_INPUTS];
  uint32_t input_count;
} bench_model;

static broch_status read_input(const broch_host* host, const broch_host_config* config, uint32_t i,
                               bench_input* input) {
  char pointer[64];
  const char* dtype = "";
  uint64_t rank = 0;
  uint32_t k;
  broch_status status;
  snprintf(input->own_name, sizeof input->own_name, i == 0 ? "x" : "x%u", (unsigned)i);
  input->name = input->own_name;
  snprintf(pointer, sizeof pointer, "/inputs/%u/name", (unsigned)i);
  if (config->kind(host, pointer) == BROCH_CONFIG_STRING) {
    status = config->get_string(host, pointer, &input->name);
    if (status < 0) return status;
  }
  snprintf(pointer, sizeof pointer, "/inputs/%u/dtype", (unsigned)i);
  status = config->get_string(host, pointer, &dtype);
  for (k = 1; status >= 0 && k < sizeof dtype_names / sizeof *dtype_names; ++k)
    if (strcmp(dtype, dtype_names[k]) == 0) input->dtype = (broch_dtype)k;
  snprintf(pointer, sizeof pointer, "/inputs/%u/shape", (unsigned)i);
  if (status >= 0) status = config->get_size(host, pointer, &rank);
  for (k = 0; status >= 0 && k < rank; ++k) {
    snprintf(pointer, sizeof pointer, "/inputs/%u/shape/%u", (unsigned)i, (unsigned)k);
    status = config->get_i64(host, pointer, &input->shape[k]);
  }
  input->rank = (uint32_t)rank;
  return status;
}

static broch_status read_inputs(const broch_host* host, const broch_host_config* config,
                                bench_model* self) {
  uint64_t count = 0;
  uint32_t i;
  broch_status status = config->get_size(host, "/inputs", &count);
  for (i = 0; status >= 0 && i < count; ++i) status = read_input(host, config, i, &self->inputs[i]);
  self->input_count = (uint32_t)count;
  return status;
}

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
  if (status >= 0) status = read_inputs(host, config, self);
  if (status < 0) {
    free(self);
    return status;
  }
  *out = self;
  return BROCH_OK;
}

static broch_status model_inputs(void* self_, const broch_signature* signature) {
  const bench_model* self = (const bench_model*)self_;
  broch_status status = BROCH_OK;
  uint32_t i;
  for (i = 0; status >= 0 && i < self->input_count; ++i) {
    const bench_input* input = &self->inputs[i];
    const broch_input_spec spec = {
        input->name, input->shape, NULL, input->rank, input->dtype, 0, 0};
    status = signature->add(signature->context, &spec);
  }
  return status;
}

/* cost = W * x, or W * W if x is no scalar of type float32, published as "scalar0", "scalar1", … */
static broch_status model_tower(void* self_, broch_tower tower, const broch_tensor* inputs,
                                uint32_t n, broch_tensor* cost) {
  bench_model* self = (bench_model*)self_;
  broch_variable_spec spec;
  broch_variable variable = 0;
  broch_tensor w = 0, published = 0;
  broch_status status;
  int64_t i;
  int32_t takes_x;
  (void)n;
  takes_x = self->inputs[0].rank == 0 && self->inputs[0].dtype == BROCH_FLOAT32;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.flags = BROCH_VARIABLE_TRAINABLE;
  spec.initializer = BROCH_INIT_CONSTANT;
  spec.a = 1;
  status = self->variables->get(self->host, tower, "W", &spec, &variable, &w);
  if (status < 0) return status;
  *cost = broch_op_mul(&self->ops, takes_x ? inputs[0] : w, w);
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
    "\"produces\": [\"{metric}\"],"
    " \"summary\": \"Fetches one number in every step; for broch bench host.\","
    " \"options\": {\"type\": \"object\", \"properties\": {"
    "\"fetch\": {\"type\": \"string\", \"default\": \"scalar0\","
    " \"description\": \"Name of a published scalar.\"},"
    " \"metric\": {\"type\": [\"string\", \"null\"], \"minLength\": 1, \"default\": null,"
    " \"description\": \"Name of a metric that is set to nanoseconds per step after each epoch;"
    " null: none.\"}},"
    " \"additionalProperties\": false}},"
    "{\"id\": \"broch.model.bench\", \"role\": \"model\", \"version\": \"1.0.0\","
    " \"summary\": \"Publishes scalars and computes almost nothing; to measure all the rest.\","
    " \"options\": {\"type\": \"object\", \"properties\": {"
    "\"scalars\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 1000,"
    " \"default\": 1,"
    " \"description\": \"Number of scalars, which are called scalar0, scalar1, and so on.\"},"
    "\"inputs\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 16, \"default\": [{}],"
    " \"description\": \"The inputs, as the data has them.\","
    " \"items\": {\"type\": \"object\", \"properties\": {"
    "\"shape\": {\"type\": \"array\", \"maxItems\": 8, \"default\": [],"
    " \"items\": {\"type\": \"integer\", \"minimum\": -1},"
    " \"description\": \"Its shape, with the batch dimension if there is one; -1: any size.\"},"
    "\"dtype\": {\"enum\": [\"float32\", \"float64\", \"float16\", \"bfloat16\", \"int8\","
    " \"int16\", \"int32\", \"int64\", \"uint8\", \"bool\", \"complex64\", \"complex128\"],"
    " \"default\": \"float32\", \"description\": \"The dtype of its elements.\"},"
    "\"name\": {\"type\": \"string\", \"minLength\": 1,"
    " \"description\": \"Its name; x, x1, x2 and so on without this option.\"}},"
    " \"additionalProperties\": false}}},"
    " \"additionalProperties\": false}}]}")
