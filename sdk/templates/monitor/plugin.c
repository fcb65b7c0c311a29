/* @FILE@.c: a monitor that writes each number to a file, as a line "global_step,name,value". */
#define _POSIX_C_SOURCE 200809L /* for fileno and ftruncate */
#include <broch/broch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Self {
  const broch_host* host;
  const broch_progress* progress;
  const broch_host_log_dir* log_dir;
  const char* name; /* of the file; borrowed until destroy */
  FILE* file;
  long size; /* of the file */
} Self;

/* Opens the file. A resumed run reports again what came after its checkpoint: that is cut off. */
static int open_file(Self* self, const char* path) {
  long there;
  self->file = fopen(path, "a");
  if (self->file == NULL || fseek(self->file, 0, SEEK_END) != 0) return 0;
  there = ftell(self->file);
  if (there < self->size) self->size = there;
  return ftruncate(fileno(self->file), self->size) == 0;
}

static broch_status before_train(void* data) {
  Self* self = data;
  char path[4096];
  const char* folder = NULL;
  const broch_status status = self->log_dir->path(self->host, &folder);
  if (status != BROCH_OK) return status == BROCH_NONE ? BROCH_OK : status;
  snprintf(path, sizeof path, "%s/%s", folder, self->name);
  return open_file(self, path)
             ? BROCH_OK
             : self->host->fail(self->host, BROCH_E_PERMISSION, "cannot write the file");
}

static broch_status process_scalar(void* data, const char* name, double value) {
  Self* self = data;
  int written = 0;
  if (self->file != NULL)
    written = fprintf(self->file, "%lld,%s,%.17g\n", (long long)self->progress->global_step, name,
                      value);
  if (written > 0) self->size += written;
  return BROCH_OK;
}

static broch_status trigger_epoch(void* data) {
  Self* self = data;
  if (self->file != NULL) fflush(self->file);
  return BROCH_OK;
}

static broch_status save(void* data, const broch_writer* writer) {
  Self* self = data;
  char text[24];
  const int length = snprintf(text, sizeof text, "%ld", self->size);
  if (self->file != NULL) fflush(self->file);
  return writer->write(writer->context, text, (uint64_t)length);
}

static broch_status load(void* data, uint32_t version, const void* bytes, uint64_t size) {
  Self* self = data;
  char text[24] = "";
  (void)version;
  if (size == 0 || size >= sizeof text)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS, "this is not the size of a file");
  memcpy(text, bytes, size);
  self->size = strtol(text, NULL, 10);
  return BROCH_OK;
}

static const broch_monitor monitor = {.struct_size = sizeof monitor,
                                      .process_scalar = process_scalar};
/* A monitor may also be a callback: it then gets these events after all callbacks. */
static const broch_callback callback = {.struct_size = sizeof callback,
                                        .before_train = before_train,
                                        .trigger_epoch = trigger_epoch};
static const broch_plugin_state state = {
    .struct_size = sizeof state, .version = 1, .save = save, .load = load};

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
  if (strcmp(id, BROCH_PLUGIN_STATE) == 0) return &state;
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
