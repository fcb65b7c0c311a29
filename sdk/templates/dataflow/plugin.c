/* @FILE@.c: a dataflow that produces the points of a sine wave; each point is one number. */
#include <broch/broch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_data_point* data;
  int64_t length, index;
  double period;
} Self;

/* The cursor of a point is its index. size 0: start from the beginning. */
static broch_status open_at(void* data, const void* cursor, uint64_t size) {
  Self* self = data;
  self->index = 0;
  if (size == 0) return BROCH_OK;
  if (size != sizeof self->index)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS, "this is no cursor of @NAME@");
  memcpy(&self->index, cursor, sizeof self->index);
  ++self->index;
  return BROCH_OK;
}

static broch_status next(void* data, const broch_cancel* cancel, broch_point point) {
  Self* self = data;
  float value;
  broch_dl_tensor view = {.data = &value, .device = {BROCH_DL_CPU, 0}, .dtype = {BROCH_DL_FLOAT, 32, 1}};
  const int64_t index = self->index;
  broch_status status;
  (void)cancel; /* nothing here waits */
  if (index >= self->length) return BROCH_END;
  value = (float)sin(6.283185307179586 * (double)index / self->period);
  status = self->data->add_copy(self->host, point, NULL, &view);
  if (status != BROCH_OK) return status;
  self->index = index + 1;
  return self->data->set_cursor(self->host, point, &index, sizeof index);
}

static broch_status size(void* data, int64_t* out) {
  *out = ((Self*)data)->length;
  return BROCH_OK;
}

static const broch_dataflow dataflow = {
    .struct_size = sizeof dataflow, .open = open_at, .next = next, .size = size};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->data = host->get_extension(host, BROCH_EXT_DATA_POINT);
  /* The schema below has defaults for both options, so these calls cannot fail. */
  config->get_i64(host, "/size", &self->length);
  config->get_f64(host, "/period", &self->period);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_DATAFLOW) == 0 ? &dataflow : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "dataflow", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "dataflow", "version": "0.1.0",
  "summary": "The points of a sine wave.",
  "requires_ext": ["broch.config/1", "broch.data_point/1"],
  "options": {
    "type": "object",
    "properties": {
      "size": {"type": "integer", "minimum": 1, "default": 10, "description": "Points."},
      "period": {"type": "number", "exclusiveMinimum": 0, "default": 20, "description": "Points a period."}
    },
    "additionalProperties": false
  }
}]}))
