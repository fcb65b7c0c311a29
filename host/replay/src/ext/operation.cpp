// operation.cpp: broch.operation/1: operations over variables.
#include "broch/ext/operation.h"

#include <memory>
#include <string>

#include "abi/guard.hpp"
#include "abi/plugin_struct.hpp"
#include "broch/broch.h"
#include "replay/extensions.hpp"
#include "replay/operation.hpp"
#include "tower/write_watch.hpp"

namespace broch::replay {
namespace {

using abi::given;
using abi::Instance;
using abi::need;
using abi::refuse;
using abi::Role;
using abi::serve;

constexpr const char* kDefine = "broch.operation/1 define";
constexpr const char* kRun = "broch.operation/1 run";

// What a handle refers to.
struct Operation {
  std::unique_ptr<Tower> tower;
  TowerRunner runner;
  explicit Operation(std::unique_ptr<Tower> tower)
      : tower(std::move(tower)), runner(*this->tower) {}
};

std::unique_ptr<Tower> define_tower(RunContext& context, Instance& instance, const char* name,
                                    broch_operation_fn function, void* user) {
  TowerSpec spec;
  spec.name = name;
  spec.training = false;
  spec.owns_variables = false;
  spec.device = context.device;
  spec.operation = true;
  const std::string hook = std::string("operation '") + name + "'";
  const auto run = [&instance, function, user, hook](broch_tower tower, const broch_tensor*,
                                                     uint32_t, const KeepCost&) {
    abi::invoke(instance, hook.c_str(), Role::step, abi::kOnlyOk,
                [&] { return function(user, tower); });
  };
  auto tower = std::make_unique<Tower>(context, spec, std::vector<abi::InputSpec>{}, run, instance);
  tower->define({});
  return tower;
}

broch_status define(const broch_host* host, const char* name, broch_operation_fn function,
                    void* user, broch_operation* op) {
  return serve(host, kDefine, Role::main, [&](Instance& instance) {
    given(op, kDefine, "op");
    if (!function) given(static_cast<void*>(nullptr), kDefine, "fn");
    RunContext& context = need<RunContext>(instance, kDefine);
    if (context.variables->sealed())
      refuse(BROCH_E_FAILED_PRECONDITION, {.where = kDefine,
                                           .found = "an operation that is made after set-up",
                                           .expected = "a call in setup_graph",
                                           .hint = "define it there once and keep the handle"});
    auto operation = std::make_unique<Operation>(
        define_tower(context, instance, given(name, kDefine, "name"), function, user));
    *op = instance.handles().add(abi::Kind::operation, {operation.release(), [](void* pointer) {
                                                          delete static_cast<Operation*>(pointer);
                                                        }});
    return BROCH_OK;
  });
}

broch_status run(const broch_host* host, broch_operation op) {
  return serve(host, kRun, Role::main, [&](Instance& instance) {
    TowerRunner& runner = operation_runner(instance, op);
    const RunContext& context = runner.tower().context();
    if (context.in_run)
      refuse(BROCH_E_FAILED_PRECONDITION,
             {.where = runner.tower().describe(),
              .found = "run inside a hooked run",
              .expected = "a call between runs, or a node of the plan",
              .hint = "run it in trigger_step, or put it into the plan"});
    run_operation(runner, context.global_step ? static_cast<uint64_t>(context.global_step()) : 0,
                  &instance);
    return BROCH_OK;
  });
}

constexpr broch_host_operation kTable{sizeof(broch_host_operation), 0, define, run};

}  // namespace

void register_extensions(abi::Context& context) { context.extend(BROCH_EXT_OPERATION, &kTable); }

TowerRunner& operation_runner(abi::Instance& instance, broch_operation op) {
  const char* why = "";
  if (void* operation = instance.handles().find(op, abi::Kind::operation, &why))
    return static_cast<Operation*>(operation)->runner;
  refuse(BROCH_E_INVALID_ARGUMENT,
         {.where = instance.label(),
          .found = abi::explain(op, abi::Kind::operation, why),
          .expected = "a handle that broch.operation/1 define answered to this instance",
          .hint = "define the operation in setup_graph"});
}

void run_operation(TowerRunner& operation, uint64_t number, const abi::Instance* by) {
  const RunContext& context = operation.tower().context();
  StepRequest step;
  step.inputs.hooked_run = number;
  const auto all = [](const TowerResult&, const Update&) { return true; };
  const std::vector<Update>& updates = operation.run(step, all).tower.updates;
  if (by)
    for (const Update& update : updates) about_to_write(*by, *update.variable);
  commit(*context.variables, updates);
  operation.release();
  if (context.hypers) context.hypers->refresh();
}

}  // namespace broch::replay
