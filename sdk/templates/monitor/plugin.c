/* @FILE@.c: a monitor that writes each number to a file, as a line "global_step,name,value". */
#include <broch/broch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  const broch_progress* progress;
  const broch_host_log_dir* log_dir;
  const char* name; /* of the file; borrowed until destroy */
  FILE* file;
} Self;

/* A resumed run appends to the file. */
static broch_status before_train(void* data) {
  Self* self = data;
  char path[4096];
  const char* folder = NULL;
  const broch_status status = self->log_dir->path(self->host, &folder);
  if (status != BROCH_OK) return status == BROCH_NONE ? BROCH_OK : status;
  snprintf(path, sizeof path, "%s/%s", folder, self->name);
  self->file = fopen(path, "a");
  return self->file ? BROCH_OK
                    : self->host->fail(self->host, BROCH_E_PERMISSION, "cannot write the file");
}

static broch_status process_scalar(void* data, const char* name, double value) {
  Self* self = data;
  if (self->file != NULL)
    fprintf(self->file, "%lld,%s,%g\n", (long long)self->progress->global_step, name, value);
  return BROCH_OK;
}

static broch_status trigger_epoch(void* data) {
  Self* self = data;
  if (self->file != NULL) fflush(self->file);
  return BROCH_OK;
}

static const broch_monitor monitor = {.struct_size = sizeof monitor,
                                      .process_scalar = process_scalar};
/* A monitor may also be a callback: it then gets these events after all callbacks. */
static const broch_callback callback = {.struct_size = sizeof callback,
                                        .before_train = before_train,
                                        .trigger_epoch = trigger_epoch};

static broch_status create(const broch_host* host, const char* options, void** out) {
  const broch_host_config* config = host->get_extension(host, BROCH_EXT_CONFIG);
  const broch_host_progress* run = host->get_extension(host, BROCH_EXT_PROGRESS);
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->progress = run->progress(host);
  self->log_dir = host->get_extension(host, BROCH_EXT_LOG_DIR);
  /* The schema below has a default for the option, so this call cannot fail. */
  config->get_string(host, "/file", &self->name);
  *out = self;
  return BROCH_OK;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  if (strcmp(id, BROCH_ROLE_MONITOR) == 0) return &monitor;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}

static void destroy(void* data) {
  Self* self = data;
  if (self->file != NULL) fclose(self->file);
  free(self);
}

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"@ID@", "monitor", &vtable}};

BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "@ID@", "role": "monitor", "version": "0.1.0",
  "summary": "Writes every number to a file of lines.",
  "roles": ["monitor", "callback"],
  "requires_ext": ["broch.config/1", "broch.progress/1", "broch.log_dir/1"],
  "options": {
    "type": "object",
    "properties": {
      "file": {"type": "string", "minLength": 1, "default": "scalars.csv", "description": "In the log folder."}
    },
    "additionalProperties": false
  }
}]}))
