/* @FILE@.c: an input source that fills every input of the model with noise. */
#include <broch/broch.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS_MAX = 16 };

typedef struct Self {
  const broch_host* host;
  const broch_host_data_point* data;
  int64_t batch;
  double high;
  uint32_t n;
  broch_dl_tensor inputs[INPUTS_MAX]; /* one buffer per input, filled again for each point */
  int64_t shapes[INPUTS_MAX][BROCH_RANK_MAX];
  uint64_t elements[INPUTS_MAX];
  uint64_t index; /* of the next point */
} Self;

static broch_status setup(void* data, const broch_input_spec* inputs, uint32_t n) {
  Self* self = data;
  if (n > INPUTS_MAX) return self->host->fail(self->host, BROCH_E_UNIMPLEMENTED, "too many inputs");
  for (uint32_t i = 0; i < n; ++i) {
    if (inputs[i].dtype != BROCH_FLOAT32 || inputs[i].rank > BROCH_RANK_MAX)
      return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT, "an input is not float32");
    self->elements[i] = 1;
    for (uint32_t d = 0; d < inputs[i].rank; ++d) {
      self->shapes[i][d] = inputs[i].shape[d] < 0 ? self->batch : inputs[i].shape[d];
      self->elements[i] *= (uint64_t)self->shapes[i][d];
    }
    self->inputs[i].data = calloc(self->elements[i] + 1, sizeof(float));
    if (self->inputs[i].data == NULL)
      return self->host->fail(self->host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
    self->inputs[i].device.device_type = BROCH_DL_CPU;
    self->inputs[i].ndim = (int32_t)inputs[i].rank;
    self->inputs[i].dtype = (broch_dl_type){BROCH_DL_FLOAT, 32, 1};
    self->inputs[i].shape = self->shapes[i];
    self->n = i + 1;
  }
  return BROCH_OK;
}

/* Point number k depends on k only, so k is its cursor. Towers take the points in turn. */
static broch_status reset_state(void* data) {
  ((Self*)data)->index = 0;
  return BROCH_OK;
}

static broch_status resume(void* data, const broch_bytes* cursors, uint32_t n) {
  Self* self = data;
  self->index = 0;
  if (n == 0 || cursors[n - 1].size == 0) return BROCH_OK;
  if (cursors[n - 1].size != sizeof self->index)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS, "this is not a cursor of @NAME@");
  memcpy(&self->index, cursors[n - 1].data, sizeof self->index);
  ++self->index;
  return BROCH_OK;
}

/* Uniform numbers in [0, high) from a linear congruential generator (Knuth's MMIX). */
static void fill(const Self* self, float* values, uint64_t count, uint64_t* state) {
  for (uint64_t i = 0; i < count; ++i) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    values[i] = (float)(self->high * (double)(*state >> 11) * 0x1p-53);
  }
}

static broch_status next(void* data, uint32_t tower, const broch_cancel* cancel, broch_point point) {
  Self* self = data;
  const uint64_t index = self->index++;
  uint64_t state = index + 1;
  (void)tower;
  (void)cancel; /* nothing here waits */
  for (uint32_t i = 0; i < self->n; ++i) {
    broch_status status;
    fill(self, self->inputs[i].data, self->elements[i], &state);
    status = self->data->add_copy(self->host, point, NULL, &self->inputs[i]);
    if (status != BROCH_OK) return status;
  }
  return self->data->set_cursor(self->host, point, &index, sizeof index);
}

static const broch_input_source input_source = {.struct_size = sizeof input_source,
                                                .setup = setup,
                                                .reset_state = reset_state,
                                                .resume = resume,
                                                .next = next};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->data = host->get_extension(host, BROCH_EXT_DATA_POINT);
  /* The schema below has defaults for both options, so these calls cannot fail. */
  config->get_i64(host, "/batch", &self->batch);
  config->get_f64(host, "/high", &self->high);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_INPUT_SOURCE) == 0 ? &input_source : NULL;
}

static void destroy(void* data) {
  Self* self = data;
  for (uint32_t i = 0; i < self->n; ++i) free(self->inputs[i].data);
  free(self);
}

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "input_source", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "input_source", "version": "0.1.0",
  "summary": "Fills every input of the model with noise.",
  "requires_ext": ["broch.config/1", "broch.data_point/1"],
  "options": {
    "type": "object",
    "properties": {
      "batch": {"type": "integer", "minimum": 1, "default": 8, "description": "For unknown dimensions."},
      "high": {"type": "number", "exclusiveMinimum": 0, "default": 1, "description": "Values lie in [0, high)."}
    },
    "additionalProperties": false
  }
}]}))
