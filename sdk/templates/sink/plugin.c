/* @FILE@.c: a sink that writes each point as a line of a .csv file. */
#include <broch/broch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_data_point* data;
  const char* separator; /* of the options; valid as long as the instance */
  FILE* file;
} Self;

static broch_status open_file(void* data, const char* path) {
  Self* self = data;
  self->file = fopen(path, "w");
  if (self->file == NULL)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS, "the file cannot be made");
  return BROCH_OK;
}

/* Writes component i, whose elements are float32 and lie one behind the other. */
static broch_status put_component(Self* self, broch_point point, uint32_t i, int* first) {
  broch_dl_tensor tensor;
  int64_t size = 1, k;
  int32_t d;
  const float* numbers;
  broch_status status = self->data->view(self->host, point, i, &tensor);
  if (status != BROCH_OK) return status;
  for (d = tensor.ndim; d-- > 0; size *= tensor.shape[d])
    if (tensor.strides != NULL && tensor.shape[d] > 1 && tensor.strides[d] != size)
      return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT,
                              "found a tensor with gaps, expected compact memory");
  if (tensor.dtype.code != BROCH_DL_FLOAT || tensor.dtype.bits != 32)
    return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT,
                            "found another dtype, expected float32");
  numbers = (const float*)(const void*)((const char*)tensor.data + tensor.byte_offset);
  for (k = 0; k < size; ++k) {
    fprintf(self->file, "%s%.9g", *first ? "" : self->separator, (double)numbers[k]);
    *first = 0;
  }
  return BROCH_OK;
}

static broch_status put(void* data, broch_point point) {
  Self* self = data;
  uint32_t n = 0, i;
  int first = 1;
  broch_status status = self->data->count(self->host, point, &n);
  for (i = 0; i < n && status == BROCH_OK; ++i) status = put_component(self, point, i, &first);
  if (status == BROCH_OK) fputc('\n', self->file);
  return status;
}

static broch_status close_file(void* data) {
  Self* self = data;
  const int failed = ferror(self->file), not_closed = fclose(self->file);
  self->file = NULL;
  if (failed || not_closed)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS,
                            "the file could not be written to its end");
  return BROCH_OK;
}

static const broch_sink sink = {
    .struct_size = sizeof sink, .open = open_file, .put = put, .close = close_file};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->data = host->get_extension(host, BROCH_EXT_DATA_POINT);
  /* The schema below has a default for the option, so this call cannot fail. */
  config->get_string(host, "/separator", &self->separator);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_SINK) == 0 ? &sink : NULL;
}

static void destroy(void* data) {
  Self* self = data;
  if (self->file != NULL) fclose(self->file);
  free(self);
}

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "sink", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "sink", "version": "0.1.0",
  "summary": "Writes points as lines of numbers.",
  "requires_ext": ["broch.config/1", "broch.data_point/1"],
  "extensions": [".csv"],
  "options": {
    "type": "object",
    "properties": {
      "separator": {"type": "string", "minLength": 1, "default": ",",
                    "description": "Stands between two numbers."}
    },
    "additionalProperties": false
  }
}]}))
