/* cautious.c: tables shorter and longer than the host's. */
#include "cautious.h"

#include <string.h>

int cautious_epochs;
int longer_triggers;

static broch_status create(const broch_host* host, const char* options, void** self) {
  (void)options;
  if (!BROCH_HAS(broch_host, host, log))
    return host->fail(host, BROCH_E_UNIMPLEMENTED, "this host is too old: it has no log");
  *self = NULL;
  return BROCH_OK;
}

static void destroy(void* self) { (void)self; }

/* As an older header had it: what follows in memory is no part of the table. */
typedef struct short_callback {
  uint32_t struct_size;
  uint32_t reserved;
  broch_status (*setup_graph)(void*);
  broch_status (*before_train)(void*);
  broch_status (*before_epoch)(void*);
} short_callback;

static broch_status before_epoch(void* self) {
  (void)self;
  ++cautious_epochs;
  return BROCH_OK;
}

static const void* short_interface(void* self, const char* id) {
  static struct {
    short_callback table;
    char garbage[sizeof(broch_callback)];
  } memory;
  (void)self;
  if (strcmp(id, BROCH_ROLE_CALLBACK) != 0) return NULL;
  memset(memory.garbage, 0xAB, sizeof memory.garbage);
  memory.table.struct_size = sizeof(short_callback);
  memory.table.before_epoch = before_epoch;
  return &memory;
}

static broch_status trigger(void* self) {
  (void)self;
  ++longer_triggers;
  return BROCH_OK;
}

/* As a newer header might have it. */
static const void* long_interface(void* self, const char* id) {
  static struct {
    broch_callback table;
    char more[64];
  } memory;
  (void)self;
  if (strcmp(id, BROCH_ROLE_CALLBACK) != 0) return NULL;
  memset(memory.more, 0xAB, sizeof memory.more);
  memory.table.struct_size = sizeof memory;
  memory.table.trigger = trigger;
  return &memory;
}

const broch_component_vtable cautious_vtable = {sizeof(broch_component_vtable), 0, create,
                                                short_interface, destroy};
const broch_component_vtable longer_vtable = {sizeof(broch_component_vtable), 0, create,
                                              long_interface, destroy};
