/* sums.c: a trainer that takes data points itself and adds them up, each tower on its own, and a
 * callback that asks for what is known of the input. */
#include <broch/broch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TOWERS = 4 };

typedef struct sums {
  const broch_host* host;
  const broch_host_config* config;
  const broch_host_input* input;
  const broch_host_data_point* data;
  const broch_host_variables* variables;
  const broch_host_tensor* tensors;
  const broch_host_plan* plans;
  const broch_host_metrics* metrics;
  broch_variable kept;
  broch_point point;
  char where[16]; /* the event in which a point is taken besides: it is not there to be had */
  int64_t towers, asks;
  int32_t declares, careless;
  double of[MAX_TOWERS];
} sums;

static broch_status find_tables(sums* self) {
  const broch_host* host = self->host;
  self->config = (const broch_host_config*)host->get_extension(host, BROCH_EXT_CONFIG);
  self->input = (const broch_host_input*)host->get_extension(host, BROCH_EXT_INPUT);
  self->data = (const broch_host_data_point*)host->get_extension(host, BROCH_EXT_DATA_POINT);
  self->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  self->tensors = (const broch_host_tensor*)host->get_extension(host, BROCH_EXT_TENSOR);
  self->plans = (const broch_host_plan*)host->get_extension(host, BROCH_EXT_PLAN);
  self->metrics = (const broch_host_metrics*)host->get_extension(host, BROCH_EXT_METRICS);
  if (self->config && self->input && self->data && self->variables && self->tensors &&
      self->plans && self->metrics)
    return BROCH_OK;
  return host->fail(host, BROCH_E_UNIMPLEMENTED, "this host lacks an extension that sums needs");
}

static broch_status read_options(sums* self) {
  const broch_host_config* config = self->config;
  const char* where = NULL;
  broch_status status = config->get_i64(self->host, "/towers", &self->towers);
  if (status == BROCH_OK) status = config->get_i64(self->host, "/asks", &self->asks);
  if (status == BROCH_OK) status = config->get_bool(self->host, "/declares", &self->declares);
  if (status == BROCH_OK) status = config->get_bool(self->host, "/careless", &self->careless);
  if (status == BROCH_OK) status = config->get_string(self->host, "/where", &where);
  if (status == BROCH_OK) snprintf(self->where, sizeof self->where, "%s", where);
  return status;
}

static broch_status create(const broch_host* host, const char* options, void** out) {
  sums* self = (sums*)calloc(1, sizeof *self);
  broch_status status;
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  status = find_tables(self);
  if (status == BROCH_OK) status = read_options(self);
  if (status == BROCH_OK) status = self->data->point_new(host, &self->point);
  if (status != BROCH_OK) {
    free(self);
    return status;
  }
  *out = self;
  return BROCH_OK;
}

static void destroy(void* self_) {
  sums* self = (sums*)self_;
  self->data->point_free(self->host, self->point);
  free(self);
}

/* A point for tower 0 where there may be none. */
static broch_status take_in(sums* self, const char* event) {
  if (strcmp(self->where, event) != 0) return BROCH_OK;
  return self->input->next(self->host, 0, self->point);
}

static broch_status setup_graph(void* self_) {
  sums* self = (sums*)self_;
  const int64_t shape[1] = {MAX_TOWERS};
  broch_variable_spec spec;
  broch_status status = BROCH_OK;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT64;
  spec.rank = 1;
  spec.shape = shape;
  spec.flags = BROCH_VARIABLE_MODEL;
  spec.initializer = BROCH_INIT_CONSTANT;
  if (self->declares) status = self->input->set_towers(self->host, (uint32_t)self->towers);
  if (status == BROCH_OK) status = take_in(self, "setup_graph");
  if (status != BROCH_OK) return status;
  return self->variables->create(self->host, "sums", &spec, &self->kept);
}

static broch_status before_train(void* self_) {
  sums* self = (sums*)self_;
  broch_tensor value = 0;
  broch_status status = self->variables->value(self->host, self->kept, &value);
  if (status == BROCH_OK) status = take_in(self, "before_train");
  return status == BROCH_OK
             ? self->tensors->copy_out(self->host, value, 0, self->of, sizeof self->of)
             : status;
}

static broch_status keep(sums* self) {
  int64_t shape[1] = {MAX_TOWERS};
  broch_dl_tensor data;
  memset(&data, 0, sizeof data);
  data.data = self->of;
  data.device.device_type = BROCH_DL_CPU;
  data.ndim = 1;
  data.dtype.code = BROCH_DL_FLOAT;
  data.dtype.bits = 64;
  data.dtype.lanes = 1;
  data.shape = shape;
  return self->variables->assign(self->host, self->kept, &data);
}

static broch_status add(sums* self, int64_t tower) {
  broch_dl_tensor view;
  const broch_status status = self->data->view(self->host, self->point, 0, &view);
  if (status != BROCH_OK) return status;
  for (int64_t i = 0; i < view.shape[0]; ++i) self->of[tower] += ((const float*)view.data)[i];
  return BROCH_OK;
}

/* The cursor is the caller's to see, too. */
static broch_status has_cursor(sums* self) {
  const void* cursor = NULL;
  uint64_t size = 0;
  const broch_status status = self->data->cursor(self->host, self->point, &cursor, &size);
  if (status != BROCH_OK || size > 0) return status;
  return self->host->fail(self->host, BROCH_E_UNKNOWN, "the point has no cursor");
}

static broch_status take_all(sums* self) {
  for (int64_t tower = 0; tower < self->asks; ++tower) {
    broch_status status = self->input->next(self->host, (uint32_t)tower, self->point);
    if (status == BROCH_OK) status = has_cursor(self);
    if (status == BROCH_OK) status = add(self, tower);
    if (status != BROCH_OK) return status;
  }
  return BROCH_OK;
}

static broch_status run_step(void* self_) {
  sums* self = (sums*)self_;
  broch_status status = take_all(self);
  if (self->careless && status < 0) return BROCH_OK;
  if (status == BROCH_OK) status = keep(self);
  return status == BROCH_OK ? self->plans->run_empty(self->host, NULL) : status;
}

static broch_status before_run(void* self, broch_run run, uint64_t* fetches) {
  (void)run;
  (void)fetches;
  return take_in((sums*)self, "before_run");
}

static broch_status trigger_step(void* self) { return take_in((sums*)self, "trigger_step"); }

static const broch_trainer trainer = {sizeof(broch_trainer), 0, setup_graph, run_step};
static const broch_callback callback = {
    sizeof(broch_callback), 0,    NULL, before_train, NULL, before_run, NULL,
    trigger_step,           NULL, NULL, NULL,         NULL};

static const void* get_interface(void* self, const char* id) {
  (void)self;
  if (strcmp(id, BROCH_ROLE_TRAINER) == 0) return &trainer;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}

/* At the end of an epoch: flags, size and consumed points as numbers, -1 for none. */
static broch_status show(void* self_) {
  sums* self = (sums*)self_;
  uint32_t flags = 0;
  int64_t size = 0;
  broch_status status = self->input->flags(self->host, &flags);
  if (status >= 0)
    status =
        self->metrics->put_scalar(self->host, "flags", status == BROCH_NONE ? -1 : (double)flags);
  if (status == BROCH_OK) status = self->input->size(self->host, &size);
  if (status >= 0)
    status =
        self->metrics->put_scalar(self->host, "size", status == BROCH_NONE ? -1 : (double)size);
  for (uint32_t tower = 0; status == BROCH_OK && tower < MAX_TOWERS; ++tower) {
    uint64_t points = 0;
    char name[] = "consumed_0";
    name[9] = (char)('0' + tower);
    status = self->input->consumed(self->host, tower, &points);
    if (status == BROCH_OK) status = self->metrics->put_scalar(self->host, name, (double)points);
  }
  return status == BROCH_OK ? take_in(self, "trigger_epoch") : status;
}

static const broch_callback watcher = {
    sizeof(broch_callback), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, show, NULL};

static const void* get_watcher(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &watcher : NULL;
}

static const broch_component_vtable trainer_vtable = {sizeof(broch_component_vtable), 0, create,
                                                      get_interface, destroy};
static const broch_component_vtable watcher_vtable = {sizeof(broch_component_vtable), 0, create,
                                                      get_watcher, destroy};
static const broch_component components[] = {{"test.sums", "trainer", &trainer_vtable},
                                             {"test.watcher", "callback", &watcher_vtable}};

// clang-format off
#define OPTIONS \
  "\"options\": {\"type\": \"object\", \"properties\": {" \
  "\"towers\": {\"type\": \"integer\", \"default\": 1}," \
  "\"asks\": {\"type\": \"integer\", \"default\": 1, \"description\": \"towers that points are taken for\"}," \
  "\"declares\": {\"type\": \"boolean\", \"default\": true}," \
  "\"careless\": {\"type\": \"boolean\", \"default\": false, \"description\": \"goes on after a failure\"}," \
  "\"where\": {\"type\": \"string\", \"default\": \"\"}" \
  "}, \"additionalProperties\": false}"

BROCH_PLUGIN(components,
  "{\"components\": [{"
  "\"id\": \"test.sums\", \"role\": \"trainer\", \"version\": \"1.0.0\","
  "\"summary\": \"Adds up what it reads.\"," OPTIONS "}, {"
  "\"id\": \"test.watcher\", \"role\": \"callback\", \"version\": \"1.0.0\","
  "\"summary\": \"Shows what is known of the input.\"," OPTIONS "}]}")
// clang-format on
