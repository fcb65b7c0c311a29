// plan_gradients.cpp: finds the variables of each list of gradients.
#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "optimizer/name_filter.hpp"
#include "plan/plans.hpp"
#include "tower/shapes_only.hpp"

namespace broch::plan {

namespace {

// The tensor that a gradients node differentiates: the tower's cost or a published tensor.
runtime::Tensor cost_of(const Plan& plan, const Node& node, const tower::TowerResult& result) {
  const std::optional<std::string>& name = node.as<GradientsNode>().cost;
  if (!name) {
    if (!result.cost)
      base::fail(base::Exit::training, plan.describe(node),
                 "a tower function that returned no cost", "a scalar cost in training mode",
                 "return it, or name a published one as \"cost\"");
    return result.cost;
  }
  const auto found = result.published.find(*name);
  if (found == result.published.end())
    base::fail(base::Exit::training, plan.describe(node) + ": cost", base::quoted(*name),
               "a published name");
  return found->second;
}

// Of several names of a cost, "cost" is the one that metrics use; otherwise the first.
std::optional<uint32_t> index_of(const runtime::Tensor& cost, const tower::Published& published) {
  std::optional<uint32_t> found;
  uint32_t i = 0;
  for (const auto& [name, tensor] : published) {
    if (tensor.impl() == cost.impl() && (!found || name == "cost")) found = i;
    ++i;
  }
  return found;
}

// The nodes that update with the gradients of a node.
std::vector<const Node*> updates_behind(const Plan& plan, const Node& gradients) {
  const auto index = static_cast<uint32_t>(&gradients - plan.nodes().data());
  std::vector<const Node*> updates;
  for (const Node& node : plan.nodes()) {
    if (std::ranges::find(node.inputs, index) == node.inputs.end()) continue;
    if (node.bound.rule)
      updates.push_back(&node);
    else
      for (const Node* update : updates_behind(plan, node)) updates.push_back(update);
  }
  return updates;
}

// A variable that every update freezes needs no gradient.
bool freeze(const std::vector<const Node*>& updates, const runtime::Variable& variable) {
  return !updates.empty() && std::ranges::all_of(updates, [&](const Node* update) {
    return update->bound.rule->groups.freeze(variable);
  });
}

void require_cost(const Plan& plan, const Node& node, const runtime::TensorInfo& info) {
  if (info.shape.rank == 0 && runtime::is_floating(info.dtype)) return;
  base::fail(base::Exit::training, plan.describe(node),
             std::string("a cost of dtype ") + runtime::dtype_name(info.dtype) + " and shape " +
                 to_string(info.shape),
             "a scalar of a floating-point dtype");
}

// Variables that the tower has read, in its order.
struct Candidates {
  std::vector<size_t> places;  // among the leaves of the tower
  std::vector<runtime::Tensor> leaves;
  bool any_frozen = false;  // which are left out
};

// Gives the node those that the cost depends on, and warns of the others.
void take_used(runtime::Backend& backend, const Plan& plan, Node& node, const runtime::Tensor& cost,
               const tower::TowerResult& result, const Candidates& candidates) {
  std::vector<runtime::Tensor> gradients;
  if (!candidates.leaves.empty()) {
    const auto guard = backend.enter(/*gradients=*/true, nullptr);
    gradients = backend.grad({&cost, 1}, candidates.leaves, {},
                             /*create_graph=*/node.bound.request.keep_graph, /*allow_unused=*/true);
  }
  std::vector<std::string> unused;
  for (size_t i = 0; i < candidates.places.size(); ++i) {
    const size_t place = candidates.places[i];
    runtime::Variable* variable = result.leaves[place].first;
    if (!gradients[i]) {
      unused.push_back(variable->name);
      continue;
    }
    node.bound.request.variables.push_back(variable);
    node.bound.request.leaves.push_back(place);
  }
  if (!unused.empty())
    base::warning(plan.describe(node) + ": the cost does not depend on " +
                  base::join(unused, ", ") + ", which get no gradient and no update");
}

}  // namespace

void Plans::bind_gradients(Plan& plan) {
  for (size_t index = 0; index < plan.nodes().size(); ++index) {
    std::vector<Node*> users;
    for (Node& node : plan.nodes())
      if (node.kind == NodeKind::gradients && node.inputs[0] == index) users.push_back(&node);
    if (!users.empty()) probe(plan, plan.nodes()[index], users);
  }
}

// Runs the tower once on its example to find the variables that each cost depends on, so that the
// lists are fixed from the start. Only these lists remain of the call.
void Plans::probe(Plan& plan, Node& tower_node, const std::vector<Node*>& users) {
  tower::Tower& tower = *tower_node.bound.tower;
  if (!tower.spec().training)
    base::fail(base::Exit::training, plan.describe(*users[0]),
               "the inference tower '" + tower.spec().name + "'", "a tower in mode \"train\"");
  tower::RunInputs inputs;
  inputs.inputs = deps_.towers->example(tower.spec().device);
  const tower::ShapesOnly no_host_code(true);
  const tower::TowerResult result = tower.run(std::move(inputs), /*gradients=*/true);
  for (Node* node : users) {
    node->bound.request.name = plan.describe(*node);
    node->bound.request.cost = node->as<GradientsNode>().cost;
    node->bound.request.keep_graph = node != users.back();
    const runtime::Tensor cost = cost_of(plan, *node, result);
    node->bound.cost_index = index_of(cost, result.published);
    choose_variables(plan, *node, cost, result);
    node->bound.list = node->bound.request.variables;
  }
}

void Plans::choose_variables(Plan& plan, Node& node, const runtime::Tensor& cost,
                             const tower::TowerResult& result) {
  require_cost(plan, node, deps_.backend->info(cost));
  const std::optional<std::string>& expression = node.as<GradientsNode>().variables;
  const NameFilter filter(expression, plan.describe(node) + ": variables");
  const std::vector<const Node*> updates = updates_behind(plan, node);
  Candidates candidates;
  for (size_t i = 0; i < result.leaves.size(); ++i) {
    const runtime::Variable& variable = *result.leaves[i].first;
    if (!filter.takes(variable)) continue;
    if (freeze(updates, variable)) {
      remarks_[variable.bare()] = "frozen";
      candidates.any_frozen = true;
      continue;
    }
    candidates.places.push_back(i);
    candidates.leaves.push_back(result.leaves[i].second);
  }
  take_used(*deps_.backend, plan, node, cost, result, candidates);
  if (node.bound.request.variables.empty())
    base::fail(base::Exit::training, plan.describe(node), "no variable that the cost depends on",
               candidates.any_frozen ? "at least one that the optimizer does not freeze"
                                     : "at least one trainable variable",
               expression ? "correct the expression in \"variables\"" : "make them TRAINABLE");
}

}  // namespace broch::plan
