/* dreamer.c: a callback for the tower dream. After each step its operation differentiates the sum
 * of tanh(W dream) with respect to both variables: dream += its slope / 16, slope = that of W. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdlib.h>
#include <string.h>

typedef struct dreamer {
  const broch_host* host;
  broch_opset ops;
  const broch_host_autograd* autograd;
  const broch_host_operation* operation;
  const broch_host_variables* variables;
  const broch_host_tower* tower;
  broch_operation step;
} dreamer;

static broch_status create(const broch_host* host, const char* options, void** out) {
  dreamer* self = (dreamer*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->autograd = (const broch_host_autograd*)host->get_extension(host, BROCH_EXT_AUTOGRAD);
  self->operation = (const broch_host_operation*)host->get_extension(host, BROCH_EXT_OPERATION);
  self->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  self->tower = (const broch_host_tower*)host->get_extension(host, BROCH_EXT_TOWER);
  *out = self;
  return broch_opset_init(&self->ops, host);
}

static void destroy(void* self) { free(self); }

/* The value of a variable, tracked. */
static broch_tensor tracked(dreamer* self, broch_tower scope, const char* name,
                            broch_variable* variable) {
  broch_status* status = &self->ops.status;
  broch_tensor value = 0;
  if (*status == BROCH_OK) *status = self->variables->find(self->host, name, variable);
  if (*status == BROCH_OK) *status = self->variables->read(self->host, scope, *variable, &value);
  if (*status == BROCH_OK) *status = self->autograd->track(self->host, value, &value);
  return value;
}

static broch_status describe(void* self_, broch_tower scope) {
  dreamer* self = (dreamer*)self_;
  broch_opset* ops = &self->ops;
  broch_variable of_dream = 0, of_w = 0, of_slope = 0;
  broch_tensor of[2], slopes[2] = {0, 0}, answer, dream;
  of[0] = tracked(self, scope, "dream", &of_dream);
  of[1] = tracked(self, scope, "W", &of_w);
  answer = broch_op_sum(ops, broch_op_tanh(ops, broch_op_linear(ops, of[0], of[1], 0)), 0);
  if (ops->status == BROCH_OK)
    ops->status = self->autograd->grad(self->host, &answer, 1, of, 2, NULL, 0, slopes);
  dream = broch_op_add(ops, of[0], slopes[0], broch_double(0.0625));
  if (ops->status == BROCH_OK)
    ops->status = self->tower->update(self->host, scope, of_dream, dream, "dream");
  if (ops->status == BROCH_OK) ops->status = self->variables->find(self->host, "slope", &of_slope);
  if (ops->status == BROCH_OK)
    ops->status = self->tower->update(self->host, scope, of_slope, slopes[1], "dream");
  return broch_opset_status(ops);
}

static broch_status setup_graph(void* self_) {
  dreamer* self = (dreamer*)self_;
  return self->operation->define(self->host, "dream", describe, self, &self->step);
}

static broch_status trigger_step(void* self_) {
  dreamer* self = (dreamer*)self_;
  return self->operation->run(self->host, self->step);
}

static const broch_callback callback = {
    .struct_size = sizeof(broch_callback),
    .setup_graph = setup_graph,
    .trigger_step = trigger_step,
};
static const void* get_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}
static const broch_component_vtable vtable = {sizeof(broch_component_vtable), 0, create,
                                              get_interface, destroy};
static const broch_component components[] = {{"conformance.dreamer", "callback", &vtable}};
BROCH_PLUGIN(components,
             "{\"components\": [{\"id\": \"conformance.dreamer\", \"role\": \"callback\","
             " \"version\": \"1.0.0\", \"summary\": \"Moves a variable along a gradient.\","
             " \"options\": {\"type\": \"object\", \"properties\": {},"
             "  \"additionalProperties\": false}}]}")
