/* @FILE@.c: an inferencer that reports the largest value of an output in a round. */
#include <broch/broch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_host_tensor* tensors;
  const char *output, *metric; /* borrowed until destroy */
  double largest;
} Self;

static broch_status fetches(void* data, const broch_names* names) {
  return names->add(names->context, ((Self*)data)->output);
}

static broch_status before_inference(void* data) {
  ((Self*)data)->largest = -INFINITY;
  return BROCH_OK;
}

static broch_status on_fetches(void* data, const broch_tensor* values, uint32_t n) {
  Self* self = data;
  broch_tensor_info info = {.struct_size = sizeof info};
  broch_status status = self->tensors->info(self->host, values[0], &info);
  double* numbers;
  (void)n;
  if (status != BROCH_OK) return status;
  numbers = malloc((size_t)(info.element_count + 1) * sizeof *numbers);
  if (numbers == NULL)
    return self->host->fail(self->host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  status = self->tensors->copy_out(self->host, values[0], BROCH_FLOAT64, numbers,
                                   (uint64_t)info.element_count * sizeof *numbers);
  for (int64_t i = 0; status == BROCH_OK && i < info.element_count; ++i)
    if (numbers[i] > self->largest) self->largest = numbers[i];
  free(numbers);
  return status;
}

static broch_status after_inference(void* data, const broch_scalars* scalars) {
  Self* self = data;
  return scalars->add(scalars->context, self->metric, self->largest);
}

static const broch_inferencer inferencer = {.struct_size = sizeof inferencer,
                                            .fetches = fetches,
                                            .before_inference = before_inference,
                                            .on_fetches = on_fetches,
                                            .after_inference = after_inference};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->tensors = host->get_extension(host, BROCH_EXT_TENSOR);
  /* The schema below has defaults for both options, so these calls cannot fail. */
  config->get_string(host, "/output", &self->output);
  config->get_string(host, "/metric", &self->metric);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_INFERENCER) == 0 ? &inferencer : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "inferencer", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "inferencer", "version": "0.1.0",
  "summary": "The largest value of an output in a round.",
  "requires_ext": ["broch.config/1", "broch.tensor/1"],
  "options": {
    "type": "object",
    "properties": {
      "output": {"type": "string", "default": "cost", "description": "Published name in the inference tower."},
      "metric": {"type": "string", "default": "largest_cost", "description": "Name of what is reported."}
    },
    "additionalProperties": false
  }
}]}))
