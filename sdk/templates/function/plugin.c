/* @FILE@.c: a function of the epoch that falls from high to low along a cosine. */
#include <broch/broch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  double high, low;
  int64_t epochs;
} Self;

static broch_status call(void* data, const broch_function_args* now, double* result) {
  const Self* self = data;
  double done = (double)now->epoch_num / (double)self->epochs;
  if (done > 1) done = 1;
  *result = self->low + (self->high - self->low) * (1 + cos(3.141592653589793 * done)) / 2;
  return BROCH_OK;
}

static const broch_function function = {.struct_size = sizeof function, .call = call};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  /* The schema below has defaults for all three options, so these calls cannot fail. */
  config->get_f64(host, "/high", &self->high);
  config->get_f64(host, "/low", &self->low);
  config->get_i64(host, "/epochs", &self->epochs);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_FUNCTION) == 0 ? &function : NULL;
}

static void destroy(void* self) { free(self); }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "function", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "function", "version": "0.1.0",
  "summary": "Falls along a cosine over the epochs.",
  "requires_ext": ["broch.config/1"],
  "options": {
    "type": "object",
    "properties": {
      "high": {"type": "number", "default": 0.1, "description": "At the start."},
      "low": {"type": "number", "default": 0, "description": "After the last of the epochs."},
      "epochs": {"type": "integer", "minimum": 1, "default": 10, "description": "How long it falls."}
    },
    "additionalProperties": false
  }
}]}))
