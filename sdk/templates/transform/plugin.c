/* @FILE@.c: a transform that multiplies the numbers of a point by a random factor near 1. */
#include <broch/broch.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_data_point* data;
  double amount;
} Self;

static int is_float32(const broch_dl_tensor* tensor) {
  return tensor->dtype.code == BROCH_DL_FLOAT && tensor->dtype.bits == 32;
}

/* The number of elements; -1 if they do not lie one behind the other. */
static int64_t compact_size(const broch_dl_tensor* tensor) {
  int64_t size = 1;
  for (int32_t d = tensor->ndim; d-- > 0; size *= tensor->shape[d])
    if (tensor->strides != NULL && tensor->shape[d] > 1 && tensor->strides[d] != size) return -1;
  return size;
}

/* Adds component i of in to out, multiplied by factor. */
static broch_status scale(const Self* self, float factor, broch_point in, uint32_t i, broch_point out) {
  broch_dl_tensor tensor;
  const char* name = NULL;
  void* memory = NULL;
  int64_t size, k;
  broch_status status = self->data->view(self->host, in, i, &tensor);
  if (status != BROCH_OK) return status;
  /* Everything else stays as it is: labels, for example. */
  if (!is_float32(&tensor)) return self->data->move_component(self->host, in, i, out);
  size = compact_size(&tensor);
  if (size < 0)
    return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT,
                            "found a tensor with gaps, expected compact memory");
  status = self->data->name(self->host, in, i, &name);
  if (status != BROCH_OK) return status;
  status = self->data->allocate(self->host, out, name, &tensor, &memory);
  if (status != BROCH_OK) return status;
  for (k = 0; k < size; ++k)
    ((float*)memory)[k] = factor * ((const float*)((const char*)tensor.data + tensor.byte_offset))[k];
  return BROCH_OK;
}

/* Called on several threads at once. All random numbers come from the seed. */
static broch_status apply(void* data, uint64_t seed, broch_point in, broch_point out) {
  const Self* self = data;
  broch_draws draws = broch_draws_of(seed);
  const float factor = (float)broch_draw_between(&draws, 1 - self->amount, 1 + self->amount);
  uint32_t n = 0, i;
  broch_status status = self->data->count(self->host, in, &n);
  for (i = 0; i < n && status == BROCH_OK; ++i) status = scale(self, factor, in, i, out);
  return status;
}

static const broch_transform transform = {.struct_size = sizeof transform, .apply = apply};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->data = host->get_extension(host, BROCH_EXT_DATA_POINT);
  /* The schema below has a default for the option, so this call cannot fail. */
  config->get_f64(host, "/amount", &self->amount);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_TRANSFORM) == 0 ? &transform : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "transform", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "transform", "version": "0.1.0",
  "summary": "Multiplies by a random factor near 1.",
  "requires_ext": ["broch.config/1", "broch.data_point/1"],
  "options": {
    "type": "object",
    "properties": {
      "amount": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.1,
                 "description": "How far from 1 the factor may be."}
    },
    "additionalProperties": false
  }
}]}))
