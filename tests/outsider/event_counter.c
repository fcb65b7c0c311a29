/* event_counter.c: says after training how often each event of a callback came. */
#include <broch/broch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
  const broch_host* host;
  int setups, trains, epochs, runs, steps, triggers;
} Self;

#define COUNT(event, counter)             \
  static broch_status event(void* self) { \
    ++((Self*)self)->counter;             \
    return BROCH_OK;                      \
  }
COUNT(setup_graph, setups)
COUNT(before_train, trains)
COUNT(before_epoch, epochs)
COUNT(trigger_step, steps)
COUNT(trigger, triggers)

static broch_status after_run(void* self, broch_run run) {
  (void)run;
  ++((Self*)self)->runs;
  return BROCH_OK;
}

static broch_status after_train(void* data) {
  const Self* self = data;
  char line[200];
  snprintf(line, sizeof line,
           "setup_graph %d before_train %d before_epoch %d after_run %d "
           "trigger_step %d trigger %d",
           self->setups, self->trains, self->epochs, self->runs, self->steps, self->triggers);
  self->host->log(self->host, BROCH_LOG_INFO, line);
  return BROCH_OK;
}

static const broch_callback callback = {.struct_size = sizeof callback,
                                        .setup_graph = setup_graph,
                                        .before_train = before_train,
                                        .after_train = after_train,
                                        .before_epoch = before_epoch,
                                        .after_run = after_run,
                                        .trigger_step = trigger_step,
                                        .trigger = trigger};

static broch_status create(const broch_host* host, const char* options, void** out) {
  Self* self = calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  *out = self;
  return BROCH_OK;
}
static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}
static const broch_component_vtable vtable = {sizeof vtable, 0, create, get_interface, free};
static const broch_component components[] = {{"net.outsider.event-counter", "callback", &vtable}};

// clang-format off
BROCH_PLUGIN(components, BROCH_JSON({"components": [{
  "id": "net.outsider.event-counter", "role": "callback", "version": "1.0.0", "summary": "Counts the events of a callback.",
  "options": {"type": "object", "additionalProperties": false}}]}))
