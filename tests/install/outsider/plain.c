// plain.c: the smallest library that loads; helper() would be exported without the SDK's flags.
#include <broch/entry.h>

const void* helper(void* self);
const void* helper(void* self) { return self; }

static broch_status create(const broch_host* host, const char* options, void** self) {
  (void)host;
  *self = (void*)options;
  return 0;
}

static const void* get_interface(void* self, const char* id) {
  (void)id;
  return helper(self) == NULL ? helper(self) : NULL;
}

static void destroy(void* self) { (void)self; }

static const broch_component_vtable vtable = {sizeof(vtable), 0, create, get_interface, destroy};
static const broch_component components[] = {{"org.example.plain", "callback", &vtable}};

BROCH_PLUGIN(components,
             "{\"components\": [{\"id\": \"org.example.plain\", \"role\": \"callback\","
             " \"version\": \"1.0.0\", \"summary\": \"Does nothing.\", \"options\": {}}]}")
