/* trainers.c: two trainers that the conformance towers need: one calls the tower function several
 * times a step, one differentiates two costs of one forward pass. */
#include <broch/broch.h>
#include <stdlib.h>
#include <string.h>

typedef struct trainer {
  const broch_host* host;
  const broch_plan_ext* plans;
  broch_plan train, again;
} trainer;

static broch_status create(const broch_host* host, const char* options, void** out) {
  trainer* self = (trainer*)calloc(1, sizeof *self);
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->plans = (const broch_plan_ext*)host->get_extension(host, BROCH_EXT_PLAN);
  *out = self;
  return BROCH_OK;
}

static void destroy(void* self) { free(self); }

/* One more node; nothing after a failure. before 0: it depends on none. */
static broch_node add(trainer* self, broch_plan plan, const char* kind, broch_node before,
                      const char* options, broch_status* status) {
  broch_node node = 0;
  if (*status == BROCH_OK)
    *status = self->plans->add(self->host, plan, kind, &before, before != 0, options, &node);
  return node;
}

static void descend(trainer* self, broch_plan plan, broch_node tower, const char* options,
                    broch_status* status) {
  const broch_node gradients = add(self, plan, "broch.plan.gradients/1", tower, options, status);
  add(self, plan, "broch.plan.apply/1", gradients, "{}", status);
}

/* Each step: the training tower and an inference tower, then the training tower again. */
static broch_status setup_twice(void* self_) {
  trainer* self = (trainer*)self_;
  broch_status status = self->plans->create(self->host, "train", &self->train);
  broch_node input = add(self, self->train, "broch.plan.input/1", 0, "{}", &status);
  broch_node tower = add(self, self->train, "broch.plan.tower/1", input, "{}", &status);
  descend(self, self->train, tower, "{}", &status);
  add(self, self->train, "broch.plan.tower/1", input,
      "{\"name\": \"predict\", \"mode\": \"inference\"}", &status);
  if (status == BROCH_OK) status = self->plans->seal(self->host, self->train);
  if (status == BROCH_OK) status = self->plans->create(self->host, "again", &self->again);
  input = add(self, self->again, "broch.plan.input/1", 0, "{}", &status);
  add(self, self->again, "broch.plan.tower/1", input, "{}", &status);
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
  const broch_node input = add(self, self->train, "broch.plan.input/1", 0, "{}", &status);
  const broch_node tower = add(self, self->train, "broch.plan.tower/1", input, "{}", &status);
  descend(self, self->train, tower, "{\"cost\": \"cost_a\", \"variables\": \"gen/.*\"}", &status);
  descend(self, self->train, tower, "{\"cost\": \"cost_b\", \"variables\": \"discrim/.*\"}",
          &status);
  return status == BROCH_OK ? self->plans->seal(self->host, self->train) : status;
}

static const broch_trainer twice = {sizeof(broch_trainer), 0, setup_twice, step_twice};
static const broch_trainer two_costs = {sizeof(broch_trainer), 0, setup_two_costs, NULL};

static const void* twice_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_TRAINER) == 0 ? &twice : NULL;
}
static const void* two_costs_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_TRAINER) == 0 ? &two_costs : NULL;
}

static const broch_component_vtable twice_vtable = {sizeof(broch_component_vtable), 0, create,
                                                    twice_interface, destroy};
static const broch_component_vtable two_costs_vtable = {sizeof(broch_component_vtable), 0, create,
                                                        two_costs_interface, destroy};
static const broch_component components[] = {
    {"conformance.twice", "trainer", &twice_vtable},
    {"conformance.two-cost-trainer", "trainer", &two_costs_vtable}};

/* The host gives every trainer its devices. */
#define OPTIONS                                                                                \
  "\"options\": {\"type\": \"object\", \"properties\": {\"devices\": {\"type\": \"array\","    \
  " \"items\": {\"type\": \"string\"}, \"default\": [\"cpu:0\"]}}, \"additionalProperties\": " \
  "false}"

BROCH_PLUGIN(components,
             "{\"components\": ["
             "{\"id\": \"conformance.twice\", \"role\": \"trainer\", \"version\": \"1.0.0\","
             " \"summary\": \"Calls the tower function three times a step.\", " OPTIONS
             "},"
             "{\"id\": \"conformance.two-cost-trainer\", \"role\": \"trainer\","
             " \"version\": \"1.0.0\","
             " \"summary\": \"Descends cost_a for gen and cost_b for discrim.\", " OPTIONS "}]}")
