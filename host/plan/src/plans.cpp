// plans.cpp: handles of plans and nodes, and the order of the work in seal.
#include "plan/plans.hpp"

#include <algorithm>
#include <set>

#include "abi/guard.hpp"
#include "base/error.hpp"
#include "replay/operation.hpp"
#include "runtime/device_name.hpp"

namespace broch::plan {

broch_plan Plans::create(const char* name, abi::Instance& owner) {
  const uint32_t local_rank = deps_.everyone ? deps_.everyone->ranks().local_rank : 0;
  const auto find_device = [this, local_rank](const std::string& name) {
    runtime::Backend& backend = *deps_.backend;
    const runtime::Device device = runtime::named_device(
        name, local_rank, [&] { return backend.has_device({BROCH_DL_CUDA}); });
    if (deps_.trains || backend.has_device(device)) return device;
    return runtime::Device{BROCH_DL_CPU, device.index};
  };
  plans_.push_back(std::make_unique<Plan>(name && *name ? name : "main", owner, find_device));
  return abi::make_handle(abi::Kind::plan, 0, 1, static_cast<uint32_t>(plans_.size() - 1));
}

Plan& Plans::at(broch_plan handle) {
  const uint32_t index = abi::handle_index(handle);
  if (abi::handle_kind(handle) != abi::Kind::plan || index >= plans_.size())
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                         abi::explain(handle, abi::Kind::plan, "no such plan")};
  return *plans_[index];
}

// The handle holds the index of the plan as owner and the index of the node.
broch_node Plans::node_handle(const Plan& plan, uint32_t index) const {
  const auto found = std::ranges::find(plans_, &plan, [](const auto& one) { return one.get(); });
  const auto owner = static_cast<uint32_t>(found - plans_.begin());
  return abi::make_handle(abi::Kind::node, owner, 1, index);
}

std::vector<uint32_t> Plans::places_of(const Plan& plan, const broch_node* nodes,
                                       uint32_t n) const {
  std::vector<uint32_t> places;
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t index = abi::handle_index(nodes[i]);
    if (index >= plan.nodes().size() || nodes[i] != node_handle(plan, index))
      throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                           abi::explain(nodes[i], abi::Kind::node, "not a node of this plan")};
    places.push_back(index);
  }
  return places;
}

bool Plans::differentiates(const tower::Tower& tower, std::string_view name) const {
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes())
      if (node.kind == NodeKind::gradients && plan->nodes()[node.inputs[0]].bound.tower == &tower &&
          tower.depends(node.as<GradientsNode>().cost.value_or(""), name))
        return true;
  return false;
}

void Plans::average_costs(CostAverages& averages) {
  for (const auto& plan : plans_)
    for (Node& node : plan->nodes()) {
      if (node.kind != NodeKind::gradients || !node.bound.cost_index) continue;
      const tower::Tower& tower = *plan->nodes()[node.inputs[0]].bound.tower;
      if (!tower.spec().is_main()) continue;
      node.bound.average = averages.add(tower.published_names()[*node.bound.cost_index]);
    }
}

std::vector<tower::Moving> Plans::averages() const {
  std::vector<tower::Moving> all;
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes())
      if (node.bound.operation)
        for (const tower::Moving& average : node.bound.operation->averages())
          all.push_back(average);
  for (const tower::Moving& average : deps_.optimizers->averages()) all.push_back(average);
  return all;
}

uint32_t Plans::fed_towers() const {
  uint32_t count = 1;
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes())
      if (node.kind == NodeKind::input)
        for (const uint32_t tower : node.as<InputNode>().towers) count = std::max(count, tower + 1);
  return count;
}

std::vector<ParameterServerShard*> Plans::served_lists() const {
  std::vector<ParameterServerShard*> lists;
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes())
      if (node.bound.served) lists.push_back(node.bound.served.get());
  return lists;
}

Plan* Plans::first_of(const abi::Instance& owner) const {
  for (const auto& plan : plans_)
    if (&plan->owner() == &owner) return plan.get();
  return nullptr;
}

void Plans::require_sealed() const {
  for (const auto& plan : plans_)
    if (!plan->sealed())
      base::fail(base::Exit::training, abi::describe(plan->owner()),
                 "the plan '" + plan->name() + "' without seal",
                 "every plan sealed at the end of setup_graph", "call seal after the last node");
}

void Plans::seal(Plan& plan) {
  plan.check();
  for (Node& node : plan.nodes())
    if (node.kind == NodeKind::tower) bind_tower(plan, node);
  check_meeting(plan);
  read_rules(plan);
  bind_gradients(plan);
  count_runs(plan);
  for (const uint32_t index : plan.order()) {
    Node& node = plan.nodes()[index];
    if (node.kind == NodeKind::reduce) bind_reduce(plan, node);
    if (node.kind == NodeKind::all_reduce) bind_all_reduce(plan, node);
    if (node.kind == NodeKind::broadcast) check_root(plan, node);
    if (node.kind == NodeKind::process) bind_process(plan, node);
    if (node.kind == NodeKind::apply) bind_apply(plan, node);
    if (node.kind == NodeKind::serve) bind_serve(plan, node);
  }
  plan.mark_sealed();
}

namespace {

// The training towers from which the node's gradients come.
std::set<const tower::Tower*> towers_behind(const Plan& plan, const Node& node) {
  if (node.kind == NodeKind::tower) return {node.bound.tower};
  std::set<const tower::Tower*> all;
  for (const uint32_t input : node.inputs) all.merge(towers_behind(plan, plan.nodes()[input]));
  return all;
}

}  // namespace

// Towers that wait for each other within a step must be trained together. Otherwise their
// gradients would belong to other steps than the ones they computed.
void Plans::check_meeting(const Plan& plan) const {
  for (const Node& node : plan.nodes()) {
    if (node.kind != NodeKind::apply && node.kind != NodeKind::serve) continue;
    const auto behind = towers_behind(plan, node);
    for (const tower::Tower* const tower : behind)
      if (tower->meets() && behind.size() < tower->spec().total)
        base::fail(base::Exit::training, plan.describe(node),
                   "gradients of " + std::to_string(behind.size()) + " of " +
                       std::to_string(tower->spec().total) + " towers, and " + tower->describe() +
                       " calls all_reduce",
                   "those of all towers together, as synchronized batch norm needs them",
                   "use a trainer that reduces the gradients of all towers before it applies them");
  }
}

// With nodes that run only in some of the steps, a resumed run must know which step is next.
void Plans::count_runs(Plan& plan) {
  const bool takes_turns =
      std::ranges::any_of(plan.nodes(), [](const Node& node) { return !node.turns.all(); });
  if (!takes_turns) return;
  const std::string name = plan.name() + "/runs";
  if (deps_.variables->find(name))
    base::fail(base::Exit::training, "plan '" + plan.name() + "'",
               "a variable '" + name + "' that is there already",
               "a place to count the runs of this plan, whose nodes take turns",
               "give the plan a name of its own");
  plan.run_count.emplace(*deps_.variables, name, BROCH_VARIABLE_LOCAL,
                         "the count of a plan's runs");
}

std::vector<replay::TowerRunner*> Plans::runners() const {
  std::vector<replay::TowerRunner*> lists, operations;
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes()) {
      if (node.bound.operation) lists.push_back(&node.bound.operation->runner());
      if (node.kind != NodeKind::operation) continue;
      const auto& [instance, op] = node.as<OperationNode>();
      replay::TowerRunner* const runner = &replay::operation_runner(*instance, op);
      if (std::ranges::find(operations, runner) == operations.end()) operations.push_back(runner);
    }
  for (replay::TowerRunner* const runner : deps_.optimizers->runners()) lists.push_back(runner);
  lists.insert(lists.end(), operations.begin(), operations.end());
  return lists;
}

}  // namespace broch::plan
