/* untagged.c: a library that is linked with LibTorch and does not say so. */
#include <broch/entry.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void leave_a_trace(void) {
  const char* name = getenv("TORCH_CXX_TRACE");
  FILE* file = name ? fopen(name, "w") : NULL;
  if (file) fclose(file);
}

static broch_status create(const broch_host* host, const char* options, void** self) {
  (void)host;
  *self = (void*)options;
  return BROCH_OK;
}
static const void* get_interface(void* self, const char* id) {
  (void)self;
  (void)id;
  return NULL;
}
static void destroy(void* self) { (void)self; }

static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, destroy};
static const broch_component components[] = {{"torch-cxx.untagged", "callback", &vtable}};

BROCH_PLUGIN(components,
             "{\"components\": [{\"id\": \"torch-cxx.untagged\", \"role\": \"callback\","
             " \"version\": \"1.0.0\", \"summary\": \"Does nothing.\", \"options\": {}}]}")
