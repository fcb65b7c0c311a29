/* probe.c: a callback that writes what it fetches, one line a step and name, to probe.txt in the
 * log folder: "name value value …"; and one that feeds a name with a constant matrix. Both may do
 * so in every n-th step only. */
#include <broch/broch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct probe {
  const broch_host* host;
  const broch_host_config* config;
  const broch_host_progress* run;
  const broch_host_tensor* tensor;
  const broch_host_log_dir* log_dir;
  uint64_t count; /* of names */
  int64_t every;
  FILE* file;
  uint32_t feed;
} probe;

static broch_status create(const broch_host* host, const char* options, void** out) {
  probe* self = (probe*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->config = (const broch_host_config*)host->get_extension(host, BROCH_EXT_CONFIG);
  self->run = (const broch_host_progress*)host->get_extension(host, BROCH_EXT_PROGRESS);
  self->tensor = (const broch_host_tensor*)host->get_extension(host, BROCH_EXT_TENSOR);
  self->log_dir = (const broch_host_log_dir*)host->get_extension(host, BROCH_EXT_LOG_DIR);
  *out = self;
  return self->config->get_i64(host, "/every", &self->every);
}

static void destroy(void* self_) {
  probe* self = (probe*)self_;
  if (self->file != NULL) fclose(self->file);
  free(self);
}

static broch_status name_at(const probe* self, uint64_t i, const char** name) {
  char pointer[32];
  snprintf(pointer, sizeof pointer, "/names/%d", (int)i);
  return self->config->get_string(self->host, pointer, name);
}

static broch_status fetch_all(void* self_) {
  probe* self = (probe*)self_;
  const char* name = NULL;
  broch_status status = self->config->get_size(self->host, "/names", &self->count);
  uint64_t i;
  uint32_t id;
  for (i = 0; status == BROCH_OK && i < self->count; ++i) {
    status = name_at(self, i, &name);
    if (status == BROCH_OK) status = self->run->fetch(self->host, name, &id);
  }
  return status;
}

static broch_status open_file(void* self_) {
  probe* self = (probe*)self_;
  const char* folder = NULL;
  char path[4096];
  broch_status status = self->log_dir->path(self->host, &folder);
  if (status != BROCH_OK) return status;
  snprintf(path, sizeof path, "%s/probe.txt", folder);
  self->file = fopen(path, "w");
  if (self->file == NULL) return self->host->fail(self->host, BROCH_E_PERMISSION, path);
  return BROCH_OK;
}

static broch_status write_value(const probe* self, const char* name, broch_tensor value) {
  broch_tensor_info info;
  double* elements;
  broch_status status;
  int64_t i;
  info.struct_size = sizeof info;
  status = self->tensor->info(self->host, value, &info);
  if (status < 0) return status;
  elements = (double*)malloc((size_t)info.element_count * sizeof *elements + 1);
  status = self->tensor->copy_out(self->host, value, BROCH_FLOAT64, elements,
                                  (uint64_t)info.element_count * sizeof *elements);
  if (status == BROCH_OK) {
    fputs(name, self->file);
    for (i = 0; i < info.element_count; ++i) fprintf(self->file, " %.17g", elements[i]);
    fputc('\n', self->file);
  }
  free(elements);
  return status;
}

static int takes_part(const probe* self) {
  return (self->run->progress(self->host)->local_step + 1) % self->every == 0;
}

static broch_status choose(void* self, broch_run run, uint64_t* fetches) {
  (void)run;
  if (!takes_part((probe*)self)) *fetches = 0;
  return BROCH_OK;
}

static broch_status write_all(void* self_, broch_run run) {
  probe* self = (probe*)self_;
  const char* name = NULL;
  broch_tensor value = 0;
  broch_status status = BROCH_OK;
  uint64_t i;
  if (!takes_part(self)) return BROCH_OK;
  for (i = 0; status == BROCH_OK && i < self->count; ++i) {
    status = name_at(self, i, &name);
    if (status == BROCH_OK) status = self->run->value(self->host, run, (uint32_t)i, &value);
    if (status == BROCH_OK) status = write_value(self, name, value);
  }
  return status;
}

static broch_status announce_feed(void* self_) {
  probe* self = (probe*)self_;
  const char* name = NULL;
  broch_status status = self->config->get_string(self->host, "/name", &name);
  return status == BROCH_OK ? self->run->feed(self->host, name, &self->feed) : status;
}

/* Element k of the matrix is (k + 1) / 8. */
static broch_status feed(void* self_, broch_run run, uint64_t* fetches) {
  probe* self = (probe*)self_;
  float elements[64];
  int64_t shape[2] = {0, 0}, i;
  broch_dl_tensor data;
  broch_tensor value = 0;
  broch_status status = self->config->get_i64(self->host, "/rows", &shape[0]);
  (void)fetches;
  if (!takes_part(self)) return BROCH_OK;
  if (status == BROCH_OK) status = self->config->get_i64(self->host, "/columns", &shape[1]);
  if (status != BROCH_OK) return status;
  for (i = 0; i < 64; ++i) elements[i] = (float)(i + 1) / 8;
  memset(&data, 0, sizeof data);
  data.data = elements;
  data.device.device_type = BROCH_DL_CPU;
  data.ndim = 2;
  data.dtype.code = BROCH_DL_FLOAT;
  data.dtype.bits = 32;
  data.dtype.lanes = 1;
  data.shape = shape;
  status = self->tensor->from_data(self->host, &data, &value);
  return status == BROCH_OK ? self->run->set_feed(self->host, run, self->feed, value) : status;
}

static const broch_callback probe_callback = {
    .struct_size = sizeof(broch_callback),
    .setup_graph = fetch_all,
    .before_train = open_file,
    .before_run = choose,
    .after_run = write_all,
};
static const broch_callback feed_callback = {
    .struct_size = sizeof(broch_callback),
    .setup_graph = announce_feed,
    .before_run = feed,
};

static const void* probe_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &probe_callback : NULL;
}
static const void* feed_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &feed_callback : NULL;
}

static const broch_component_vtable probe_vtable = {sizeof(broch_component_vtable), 0, create,
                                                    probe_interface, destroy};
static const broch_component_vtable feed_vtable = {sizeof(broch_component_vtable), 0, create,
                                                   feed_interface, destroy};
static const broch_component components[] = {{"conformance.probe", "callback", &probe_vtable},
                                             {"conformance.feed", "callback", &feed_vtable}};
BROCH_PLUGIN(
    components,
    "{\"components\": ["
    "{\"id\": \"conformance.probe\", \"role\": \"callback\", \"version\": \"1.0.0\","
    " \"summary\": \"Writes what it fetches to a file.\","
    " \"options\": {\"type\": \"object\", \"properties\": {"
    "  \"names\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"maxItems\": 64},"
    "  \"every\": {\"type\": \"integer\", \"minimum\": 1, \"default\": 1}},"
    "  \"required\": [\"names\"], \"additionalProperties\": false}},"
    "{\"id\": \"conformance.feed\", \"role\": \"callback\", \"version\": \"1.0.0\","
    " \"summary\": \"Feeds a name with a constant matrix of at most 64 elements.\","
    " \"options\": {\"type\": \"object\", \"properties\": {"
    "  \"name\": {\"type\": \"string\"}, \"rows\": {\"type\": \"integer\", \"minimum\": 1},"
    "  \"columns\": {\"type\": \"integer\", \"minimum\": 1},"
    "  \"every\": {\"type\": \"integer\", \"minimum\": 1, \"default\": 1}},"
    "  \"required\": [\"name\", \"rows\", \"columns\"], \"additionalProperties\": false}}]}")
