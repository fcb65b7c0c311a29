/* tower.h: what every tower of this folder shares: the tables it calls and its component.
 *
 * A file defines INPUTS and build() and ends with CONFORMANCE_TOWER("name"). It is a whole plugin.
 */
#ifndef CONFORMANCE_TOWER_H
#define CONFORMANCE_TOWER_H

#include <broch/broch.h>
#include <broch/opset.h>
#include <stdlib.h>

typedef struct tower_self {
  const broch_host* host;
  broch_opset ops;
  const broch_host_tower* tower;
  const broch_host_variables* variables;
  const broch_host_hyper_param* hyper;
  const broch_host_tensor* tensor;
  const broch_host_autograd* autograd;
} tower_self;

/* Builds the tower; inputs in the order of INPUTS. */
static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost);

/* A float32 variable of one or two dimensions; 0 after a failure. A trainable one is drawn, another
 * starts as first. */
static inline broch_tensor variable(tower_self* self, broch_tower tower, const char* name,
                                    int64_t rows, int64_t columns, double first, uint32_t flags,
                                    broch_variable* handle) {
  const int64_t shape[2] = {rows, columns};
  broch_variable_spec spec;
  broch_variable own = 0;
  broch_tensor value = 0;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.rank = columns > 0 ? 2 : 1;
  spec.flags = flags;
  spec.shape = shape;
  spec.initializer = BROCH_INIT_CONSTANT;
  spec.a = first;
  if (flags & BROCH_VARIABLE_TRAINABLE) {
    spec.initializer = columns > 0 ? BROCH_INIT_HE_NORMAL : BROCH_INIT_UNIFORM;
    spec.a = columns > 0 ? 1 : -0.5;
    spec.b = 0.5;
  }
  if (self->ops.status == BROCH_OK)
    self->ops.status = self->variables->get(self->host, tower, name, &spec, &own, &value);
  if (handle != NULL) *handle = own;
  return value;
}

static inline broch_tensor publish(tower_self* self, broch_tower tower, const char* name,
                                   broch_tensor tensor) {
  broch_tensor published = 0;
  if (self->ops.status == BROCH_OK)
    self->ops.status = self->tower->publish(self->host, tower, name, tensor, &published);
  return published;
}

static inline void update(tower_self* self, broch_tower tower, broch_variable variable,
                          broch_tensor value, const char* anchor) {
  if (self->ops.status == BROCH_OK)
    self->ops.status = self->tower->update(self->host, tower, variable, value, anchor);
}

static inline broch_tensor mean(tower_self* self, broch_tensor x) {
  return broch_op_mean(&self->ops, x, 0);
}
static inline broch_tensor add(tower_self* self, broch_tensor a, broch_tensor b) {
  return broch_op_add(&self->ops, a, b, broch_int(1));
}
static inline broch_tensor sub(tower_self* self, broch_tensor a, broch_tensor b) {
  return broch_op_sub(&self->ops, a, b, broch_int(1));
}

static broch_status tower_create(const broch_host* host, const char* options, void** out) {
  tower_self* self = (tower_self*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->tower = (const broch_host_tower*)host->get_extension(host, BROCH_EXT_TOWER);
  self->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  self->hyper = (const broch_host_hyper_param*)host->get_extension(host, BROCH_EXT_HYPER_PARAM);
  self->tensor = (const broch_host_tensor*)host->get_extension(host, BROCH_EXT_TENSOR);
  self->autograd = (const broch_host_autograd*)host->get_extension(host, BROCH_EXT_AUTOGRAD);
  if (broch_opset_init(&self->ops, host) < 0 || !self->tower || !self->variables || !self->hyper ||
      !self->tensor || !self->autograd) {
    free(self);
    return host->fail(host, BROCH_E_UNIMPLEMENTED, "this host lacks an extension that towers need");
  }
  *out = self;
  return BROCH_OK;
}

static void tower_destroy(void* self) { free(self); }

static broch_status tower_call(void* self_, broch_tower tower, const broch_tensor* inputs,
                               uint32_t n, broch_tensor* cost) {
  tower_self* self = (tower_self*)self_;
  broch_status status;
  (void)n;
  status = build(self, tower, inputs, cost);
  return status < 0 ? status : broch_opset_status(&self->ops);
}

#define CONFORMANCE_TOWER(name)                                                               \
  static broch_status tower_inputs(void* self, const broch_signature* signature) {            \
    static const broch_input_spec specs[] = {INPUTS};                                         \
    size_t i;                                                                                 \
    (void)self;                                                                               \
    for (i = 0; i < sizeof specs / sizeof specs[0]; ++i) {                                    \
      broch_status status = signature->add(signature->context, &specs[i]);                    \
      if (status < 0) return status;                                                          \
    }                                                                                         \
    return BROCH_OK;                                                                          \
  }                                                                                           \
  static const broch_model tower_model = {sizeof(broch_model), 0,    tower_inputs,            \
                                          tower_call,          NULL, NULL};                   \
  static const void* tower_interface(void* self, const char* id) {                            \
    (void)self;                                                                               \
    return strcmp(id, BROCH_ROLE_MODEL) == 0 ? &tower_model : NULL;                           \
  }                                                                                           \
  static const broch_component_vtable tower_vtable = {                                        \
      sizeof(broch_component_vtable), 0, tower_create, tower_interface, tower_destroy};       \
  static const broch_component tower_components[] = {                                         \
      {"conformance." name, "model", &tower_vtable}};                                         \
  BROCH_PLUGIN(tower_components,                                                              \
               "{\"components\": [{\"id\": \"conformance." name                               \
               "\", \"role\": \"model\", \"version\": \"1.0.0\", \"summary\": \"A hard "      \
               "case for towers.\", \"options\": {\"type\": \"object\", \"properties\": {}, " \
               "\"additionalProperties\": false}}]}")

/* The input most towers have: x, float32 (B, 4). */
static const int64_t kShapeX[2] = {-1, 4};
static const char* const kDimsX[2] = {"B", NULL};
#define INPUT_X \
  { "x", kShapeX, kDimsX, 2, BROCH_FLOAT32, 0, 0 }

#endif
