/* @FILE@.c: a dataflow with the points of a sine wave; each point is one number. */
#include <broch/broch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_data_point* data;
  int64_t length;
  double period;
} Self;

static broch_status size(void* data, int64_t* out) {
  *out = ((const Self*)data)->length;
  return BROCH_OK;
}

/* Called on several threads at once, in any order. round counts the passes over the data. */
static broch_status read_point(void* data, uint64_t round, uint64_t index, const broch_cancel* cancel,
                               broch_point point) {
  const Self* self = data;
  const broch_dl_tensor like = {.dtype = {BROCH_DL_FLOAT, 32, 1}};
  void* memory = NULL;
  broch_status status;
  (void)round;
  (void)cancel; /* nothing here waits */
  if (index >= (uint64_t)self->length) return BROCH_END;
  status = self->data->allocate(self->host, point, NULL, &like, &memory);
  if (status != BROCH_OK) return status;
  *(float*)memory = (float)sin(6.283185307179586 * (double)index / self->period);
  return BROCH_OK;
}

static const broch_indexed indexed = {
    .struct_size = sizeof indexed, .size = size, .read = read_point};

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
  return strcmp(id, BROCH_ROLE_INDEXED) == 0 ? &indexed : NULL;
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
