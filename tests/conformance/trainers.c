/* trainers.c: trainers that the conformance towers need: one calls the tower function several times
 * a step, one differentiates two costs of one forward pass, one applies to some variables only, one
 * applies in every third step only, one applies a sum of gradients in every fourth. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdlib.h>
#include <string.h>

typedef struct trainer {
  const broch_host* host;
  const broch_host_plan* plans;
  const broch_host_operation* graph;
  const broch_host_variables* variables;
  const broch_host_tower* tower;
  broch_opset ops;
  broch_plan train, again;
  broch_operation descend;
  int64_t steps;
} trainer;

static broch_status create(const broch_host* host, const char* options, void** out) {
  trainer* self = (trainer*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->plans = (const broch_host_plan*)host->get_extension(host, BROCH_EXT_PLAN);
  self->graph = (const broch_host_operation*)host->get_extension(host, BROCH_EXT_OPERATION);
  self->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  self->tower = (const broch_host_tower*)host->get_extension(host, BROCH_EXT_TOWER);
  *out = self;
  return broch_opset_init(&self->ops, host);
}

static void destroy(void* self) { free(self); }

/* One more node; nothing after a failure. before 0: it depends on none. */
static broch_node add(trainer* self, broch_plan plan, const char* kind, broch_node before,
                      const broch_node_options* options, broch_status* status) {
  broch_node node = 0;
  if (*status == BROCH_OK)
    *status = self->plans->add(self->host, plan, kind, &before, before != 0, options, &node);
  return node;
}

/* A plan with the training tower. */
static broch_node add_tower(trainer* self, broch_plan plan, broch_status* status) {
  const broch_node input = add(self, plan, BROCH_NODE_INPUT, 0, NULL, status);
  return add(self, plan, BROCH_NODE_TOWER, input, NULL, status);
}

static void descend(trainer* self, broch_plan plan, broch_node tower, const char* cost,
                    const char* variables, const broch_apply_node* apply, broch_status* status) {
  broch_node gradients;
  broch_gradients_node of;
  memset(&of, 0, sizeof of);
  of.node.struct_size = sizeof of;
  of.cost = cost;
  of.variables = variables;
  gradients = add(self, plan, BROCH_NODE_GRADIENTS, tower, &of.node, status);
  add(self, plan, BROCH_NODE_APPLY, gradients, apply ? &apply->node : NULL, status);
}

/* Each step: the training tower and an inference tower, then the training tower again. */
static broch_status setup_twice(void* self_) {
  trainer* self = (trainer*)self_;
  broch_tower_node predict;
  broch_node input, tower;
  broch_status status = self->plans->create(self->host, "train", &self->train);
  memset(&predict, 0, sizeof predict);
  predict.node.struct_size = sizeof predict;
  predict.name = "predict";
  predict.inference = 1;
  input = add(self, self->train, BROCH_NODE_INPUT, 0, NULL, &status);
  tower = add(self, self->train, BROCH_NODE_TOWER, input, NULL, &status);
  descend(self, self->train, tower, NULL, NULL, NULL, &status);
  add(self, self->train, BROCH_NODE_TOWER, input, &predict.node, &status);
  if (status == BROCH_OK) status = self->plans->seal(self->host, self->train);
  if (status == BROCH_OK) status = self->plans->create(self->host, "again", &self->again);
  add_tower(self, self->again, &status);
  return status == BROCH_OK ? self->plans->seal(self->host, self->again) : status;
}

static broch_status step_twice(void* self_) {
  trainer* self = (trainer*)self_;
  const broch_status status = self->plans->run(self->host, self->train, 1, NULL);
  return status == BROCH_OK ? self->plans->run(self->host, self->again, 0, NULL) : status;
}

static broch_status setup_two_costs(void* self_) {
  trainer* self = (trainer*)self_;
  broch_status status = self->plans->create(self->host, "train", &self->train);
  const broch_node tower = add_tower(self, self->train, &status);
  descend(self, self->train, tower, "cost_a", "gen/.*", NULL, &status);
  descend(self, self->train, tower, "cost_b", "discrim/.*", NULL, &status);
  return status == BROCH_OK ? self->plans->seal(self->host, self->train) : status;
}

static broch_status setup_applying(trainer* self, const broch_apply_node* apply) {
  broch_status status = self->plans->create(self->host, "train", &self->train);
  const broch_node tower = add_tower(self, self->train, &status);
  descend(self, self->train, tower, NULL, NULL, apply, &status);
  return status == BROCH_OK ? self->plans->seal(self->host, self->train) : status;
}

static broch_status setup_frozen(void* self) {
  broch_apply_node apply;
  memset(&apply, 0, sizeof apply);
  apply.node.struct_size = sizeof apply;
  apply.variables = "(head|tail)/.*";
  return setup_applying((trainer*)self, &apply);
}

static broch_status setup_seldom(void* self) {
  const uint32_t offset = 2;
  broch_apply_node apply;
  memset(&apply, 0, sizeof apply);
  apply.node.struct_size = sizeof apply;
  apply.node.every = 3;
  apply.node.offsets = &offset;
  apply.node.offset_count = 1;
  return setup_applying((trainer*)self, &apply);
}

/* A variable that the tower made, and its value here. */
static broch_tensor read(trainer* self, broch_tower scope, const char* name,
                         broch_variable* variable) {
  broch_tensor value = 0;
  broch_opset* ops = &self->ops;
  if (ops->status == BROCH_OK) ops->status = self->variables->find(self->host, name, variable);
  if (ops->status == BROCH_OK)
    ops->status = self->variables->read(self->host, scope, *variable, &value);
  return value;
}

/* W -= sum / 4 * 0.25; sum = 0. */
static broch_status apply_sum(void* self_, broch_tower scope) {
  trainer* self = (trainer*)self_;
  broch_opset* ops = &self->ops;
  broch_variable of_w = 0, of_sum = 0;
  broch_tensor w = read(self, scope, "W", &of_w), sum = read(self, scope, "sum", &of_sum);
  broch_tensor after = broch_op_sub(ops, w, sum, broch_double(0.0625));
  broch_tensor nothing = broch_op_zeros_like(ops, sum, 0);
  if (ops->status == BROCH_OK)
    ops->status = self->tower->update(self->host, scope, of_w, after, "descend");
  if (ops->status == BROCH_OK)
    ops->status = self->tower->update(self->host, scope, of_sum, nothing, "descend");
  return broch_opset_status(ops);
}

static broch_status setup_accumulating(void* self_) {
  trainer* self = (trainer*)self_;
  broch_status status = self->plans->create(self->host, "train", &self->train);
  add_tower(self, self->train, &status);
  if (status == BROCH_OK) status = self->plans->seal(self->host, self->train);
  if (status == BROCH_OK)
    status = self->graph->define(self->host, "descend", apply_sum, self, &self->descend);
  return status;
}

static broch_status step_accumulating(void* self_) {
  trainer* self = (trainer*)self_;
  const broch_status status = self->plans->run(self->host, self->train, 1, NULL);
  if (status != BROCH_OK || ++self->steps % 4 != 0) return status;
  return self->graph->run(self->host, self->descend);
}

#define TRAINER(name, setup, step)                                                                \
  static const broch_trainer name = {sizeof(broch_trainer), 0, setup, step};                      \
  static const void* name##_interface(void* self, const char* id) {                               \
    (void)self;                                                                                   \
    return strcmp(id, BROCH_ROLE_TRAINER) == 0 ? &name : NULL;                                    \
  }                                                                                               \
  static const broch_component_vtable name##_vtable = {sizeof(broch_component_vtable), 0, create, \
                                                       name##_interface, destroy}

TRAINER(twice, setup_twice, step_twice);
TRAINER(two_costs, setup_two_costs, NULL);
TRAINER(frozen, setup_frozen, NULL);
TRAINER(seldom, setup_seldom, NULL);
TRAINER(accumulating, setup_accumulating, step_accumulating);

static const broch_component components[] = {
    {"conformance.twice", "trainer", &twice_vtable},
    {"conformance.two-cost-trainer", "trainer", &two_costs_vtable},
    {"conformance.frozen-trainer", "trainer", &frozen_vtable},
    {"conformance.seldom", "trainer", &seldom_vtable},
    {"conformance.accumulating", "trainer", &accumulating_vtable}};

/* The host gives every trainer its devices. */
#define META(id, summary)                                                                       \
  "{\"id\": \"conformance." id                                                                  \
  "\", \"role\": \"trainer\", \"version\": \"1.0.0\", \"summary\": \"" summary                  \
  "\", \"options\": {\"type\": \"object\", \"properties\": {\"devices\": {\"type\": \"array\"," \
  " \"items\": {\"type\": \"string\"}, \"default\": [\"cpu:0\"]}}, \"additionalProperties\": "  \
  "false}}"

BROCH_PLUGIN(components, "{\"components\": [" META(
    "twice", "Calls the tower function three times a step.") ", "
    META("two-cost-trainer", "Descends cost_a for gen and cost_b for discrim.") ", "
    META("frozen-trainer", "Applies to head and tail only.") ", "
    META("seldom", "Applies in every third step.") ", "
    META("accumulating", "Applies the tower's sum of gradients in every fourth step.") "]}")
