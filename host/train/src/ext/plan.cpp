// plan.cpp: broch.plan/1.
#include "tables.hpp"

namespace broch::train {

namespace {

constexpr const char* kCreate = "broch.plan/1 create";
constexpr const char* kSeal = "broch.plan/1 seal";
constexpr const char* kRunEmpty = "broch.plan/1 run_empty";
constexpr const char* kAdd = "broch.plan/1 add";
constexpr const char* kRun = "broch.plan/1 run";

broch_status create(const broch_host* host, const char* name, broch_plan* plan) {
  return serve(host, kCreate, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_setup(trainer, "a new plan");
    given(plan, kCreate, "plan");
    *plan = trainer.plans().create(given(name, kCreate, "name"), instance);
    return BROCH_OK;
  });
}

// Shared by the three functions that add nodes. add(plan, inputs, instance) returns the node's
// index.
template <class Add>
broch_status add_node(const broch_host* host, broch_plan handle, const broch_node* inputs,
                      uint32_t n, broch_node* node, Add&& add) {
  return serve(host, kAdd, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_setup(trainer, "a new node");
    Plans& plans = trainer.plans();
    Plan& plan = plans.at(handle);
    if (n) given(inputs, kAdd, "inputs");
    const uint32_t index = add(plan, plans.places_of(plan, inputs, n), instance);
    if (node) *node = plans.node_handle(plan, index);
    return BROCH_OK;
  });
}

broch_status add(const broch_host* host, broch_plan plan, const char* kind,
                 const broch_node* inputs, uint32_t n, const broch_node_options* options,
                 broch_node* node) {
  return add_node(host, plan, inputs, n, node,
                  [&](Plan& to, std::vector<uint32_t> places, Instance&) {
                    return to.add(given(kind, kAdd, "kind"), std::move(places), options);
                  });
}

broch_status add_call(const broch_host* host, broch_plan plan, const broch_node* inputs, uint32_t n,
                      const broch_node_options* options, broch_status (*fn)(void* user), void* user,
                      broch_node* node) {
  return add_node(host, plan, inputs, n, node,
                  [&](Plan& to, std::vector<uint32_t> places, Instance& instance) {
                    return to.add_call(std::move(places), options, instance, fn, user);
                  });
}

broch_status add_operation(const broch_host* host, broch_plan plan, const broch_node* inputs,
                           uint32_t n, const broch_node_options* options, broch_operation op,
                           broch_node* node) {
  return add_node(host, plan, inputs, n, node,
                  [&](Plan& to, std::vector<uint32_t> places, Instance& instance) {
                    return to.add_operation(std::move(places), options, instance, op);
                  });
}

broch_status seal(const broch_host* host, broch_plan plan) {
  return serve(host, kSeal, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_setup(trainer, kSeal);
    trainer.plans().seal(trainer.plans().at(plan));
    return BROCH_OK;
  });
}

// NULL, "" and "trainer" mean the trainer's own group.
Trainer::RunKind hooked_in(const char* group) {
  const bool is_other = group && *group && std::string_view(group) != "trainer";
  return is_other ? Trainer::RunKind::hooked_in_other_group : Trainer::RunKind::hooked;
}

broch_status run(const broch_host* host, broch_plan plan, int32_t hooked, const char* group) {
  return serve(host, kRun, Role::main, [&](Instance& instance) {
    Trainer& trainer = ready_trainer(instance, "a run");
    Plan& found = trainer.plans().at(plan);
    // The trainer comes first in each event, when no rank has begun anything that takes long.
    if (found.waits_for_ranks() && &instance != trainer.parts().trainer) meet_ranks(trainer, kRun);
    return trainer.run_for_plugin(&found, hooked ? hooked_in(group) : Trainer::RunKind::plain);
  });
}

broch_status run_empty(const broch_host* host, const char* group) {
  return serve(host, kRunEmpty, Role::main, [&](Instance& instance) {
    return ready_trainer(instance, "a run").run_for_plugin(nullptr, hooked_in(group));
  });
}

}  // namespace

const broch_host_plan kPlanTable = {sizeof(broch_host_plan), 0,    create, add,      add_call,
                                    add_operation,           seal, run,    run_empty};

}  // namespace broch::train
