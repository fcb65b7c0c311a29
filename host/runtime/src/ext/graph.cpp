// graph.cpp: broch.graph/1: operations over variables, defined and run.
#include "broch/ext/graph.h"

#include <memory>

#include "abi/guard.hpp"
#include "runtime/graph_op.hpp"
#include "serving.hpp"

namespace broch::runtime {
namespace {

constexpr const char* kDefine = "broch.graph/1 define";
constexpr const char* kRun = "broch.graph/1 run";

std::unique_ptr<Tower> make_operation(TowerWorld& world, Instance& instance, const char* name,
                                      broch_graph_fn function, void* user) {
  TowerSpec spec;
  spec.name = name;
  spec.training = false;
  spec.owns_variables = false;
  spec.device = world.device;
  spec.operation = true;
  const auto run = [&instance, function, user](broch_tower tower, const broch_tensor*, uint32_t,
                                               const KeepCost&) {
    abi::invoke(instance, "operation", Role::step, abi::kOnlyOk,
                [&] { return function(user, tower); });
  };
  return std::make_unique<Tower>(world, spec, std::vector<abi::InputSpec>{}, run, instance);
}

broch_status define(const broch_host* host, const char* name, broch_graph_fn function, void* user,
                    broch_graph_op* op) {
  return serve(host, kDefine, Role::main, [&](Instance& instance) {
    given(op, kDefine, "op");
    if (!function) given(static_cast<void*>(nullptr), kDefine, "fn");
    TowerWorld& world = need<TowerWorld>(instance, kDefine);
    std::unique_ptr<Tower> tower =
        make_operation(world, instance, given(name, kDefine, "name"), function, user);
    tower->define({});
    *op = instance.handles().add(abi::Kind::graph_op, {tower.release(), [](void* pointer) {
                                                         delete static_cast<Tower*>(pointer);
                                                       }});
    return BROCH_OK;
  });
}

broch_status run(const broch_host* host, broch_graph_op op) {
  return serve(host, kRun, Role::main, [&](Instance& instance) {
    Tower& tower = graph_operation(instance, op);
    TowerWorld& world = tower.world();
    if (world.in_run)
      refuse(BROCH_E_FAILED_PRECONDITION,
             {.place = tower.describe(),
              .found = "run inside a hooked run",
              .expected = "a call between runs, or a node of the plan",
              .next = "run it in trigger_step, or put it into the plan"});
    RunInputs inputs;
    inputs.hooked_run = world.global_step ? static_cast<uint64_t>(world.global_step()) : 0;
    const TowerResult result = tower.run(std::move(inputs), false);
    commit(*world.backend, result.updates);
    if (world.hypers) world.hypers->refresh();
    return BROCH_OK;
  });
}

constexpr broch_graph kTable{sizeof(broch_graph), 0, define, run};

}  // namespace

const void* graph_table() { return &kTable; }

Tower& graph_operation(abi::Instance& instance, broch_graph_op op) {
  const char* why = "";
  if (void* tower = instance.handles().find(op, abi::Kind::graph_op, &why))
    return *static_cast<Tower*>(tower);
  refuse(BROCH_E_INVALID_ARGUMENT,
         {.place = instance.label(),
          .found = abi::explain(op, abi::Kind::graph_op, why),
          .expected = "a handle that broch.graph/1 define answered to this instance",
          .next = "define the operation in setup_graph"});
}

}  // namespace broch::runtime
