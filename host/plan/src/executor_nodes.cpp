// executor_nodes.cpp: the nodes that follow the towers: gradients, sums, updates, and others.
#include <algorithm>

#include "abi/guard.hpp"
#include "base/trace.hpp"
#include "plan/executor.hpp"
#include "plan/plans.hpp"
#include "plan/stop.hpp"
#include "replay/operation.hpp"

namespace broch::plan {

namespace {

// The node's own list, for its variables.
GradientList& own_list(Node& node) {
  GradientList& list = node.run.gradients;
  if (list.variables.size() != node.bound.list.size()) list.variables = node.bound.list;
  return list;
}

}  // namespace

// Updates of replicas run on the threads of their towers, which have the memory in their caches.
void Executor::run_nodes(Plan& plan, TowerRuns& runs, RunRequest& request, bool together) {
  const std::vector<uint32_t>& order = plan.order();
  const auto node_at = [&](size_t i) -> Node& { return plan.nodes()[order[i]]; };
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    for (end = first + 1; end < order.size() && together && node_at(end).bound.with_previous; ++end)
      if (!node_at(end).run.active) break;
    const auto run = [&](size_t i) {
      Node& node = node_at(first + i);
      if (node.run.active) run_node(plan, node, runs, request);
    };
    end - first > 1 ? threads_.run(end - first, run) : run(0);
  }
}

void Executor::run_node(Plan& plan, Node& node, TowerRuns& runs, RunRequest& request) {
  const base::Span span(base::Trace::running() ? kind_name(node.kind) : "", "plan");
  switch (node.kind) {
    case NodeKind::input:
    case NodeKind::tower:
      break;  // have already run
    case NodeKind::gradients:
      node.run.handed_on = &own_list(node);
      node.run.gradients.gradients = runs[plan.nodes()[node.inputs[0]].run.tower_run]
                                         .result->gradients[node.run.request_place];
      break;
    case NodeKind::reduce:
    case NodeKind::all_reduce:
    case NodeKind::process:
      compute_list(plan, node, request);
      break;
    case NodeKind::apply:
      apply(plan, node, request);
      break;
    case NodeKind::serve:
      serve(plan, node, request);
      break;
    case NodeKind::copy:
      copy(plan, node);
      break;
    case NodeKind::broadcast:
      broadcast(node);
      break;
    case NodeKind::operation:
      run_operation(node, request);
      break;
    case NodeKind::call:
      call(node);
      break;
  }
}

WatchContext Executor::watch_context(RunRequest& request) const {
  return {*deps_.backend, updates_averages(request) ? deps_.averages : nullptr,
          request.summaries ? &request.summary : nullptr};
}

// The list of a node that sums or processes those of the nodes before it.
void Executor::compute_list(Plan& plan, Node& node, RunRequest& request) {
  const auto given = [&](size_t input) -> const GradientList& {
    return *plan.nodes()[node.inputs[input]].run.handed_on;
  };
  if (!node.bound.operation) {
    node.run.handed_on = &given(0);
    return;
  }
  node.run.handed_on = &own_list(node);
  const auto run = [&](const std::vector<runtime::Tensor>& lists) {
    node.bound.operation->run(lists, request.number, watch_context(request),
                              node.run.gradients.gradients);
  };
  if (node.bound.gather) {
    note(node.kind);
    const auto& lists = node.bound.gather->gather(given(0).gradients);
    deps_.interrupt->agree(node.bound.gather->rank_flags());
    return run(lists);
  }
  if (node.inputs.size() == 1) return run(given(0).gradients);
  std::vector<runtime::Tensor> lists;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    lists.insert(lists.end(), given(i).gradients.begin(), given(i).gradients.end());
  run(lists);
}

// The gradients that the node applies, after the processors of its optimizer.
const GradientList& Executor::list_to_apply(Plan& plan, Node& node, RunRequest& request) {
  const GradientList& given = *plan.nodes()[node.inputs[0]].run.handed_on;
  if (!node.bound.operation && node.bound.list.size() == given.gradients.size()) return given;
  node.run.gradients.variables = node.bound.list;
  std::vector<runtime::Tensor>& gradients = node.run.gradients.gradients;
  gradients.clear();
  for (const size_t place : node.bound.positions) gradients.push_back(given.gradients[place]);
  if (node.bound.operation) {
    const std::vector<runtime::Tensor> raw = std::move(gradients);
    node.bound.operation->run(raw, request.number, watch_context(request), gradients);
  }
  return node.run.gradients;
}

void Executor::apply(Plan& plan, Node& node, RunRequest& request) {
  const GradientList& list = list_to_apply(plan, node, request);
  const runtime::Consistency::Change change(deps_.variables->consistency());
  const size_t application = node.bound.application;
  if (deps_.optimizers->processes_sums(application))
    deps_.optimizers->apply_sums(application, list, request.number, watch_context(request));
  else
    deps_.optimizers->apply(application, list);
}

void Executor::serve(Plan& plan, Node& node, RunRequest& request) {
  note(node.kind);
  const GradientList& list = list_to_apply(plan, node, request);
  if (deps_.backend->is_null()) return;
  if (!deps_.has_servers)
    throw base::Error{base::Exit::usage,
                      {plan.describe(node), "no parameter server among the ranks", "at least one",
                       "start with broch train --ranks N --ps M: the last M of N ranks are "
                       "parameter servers; or use a trainer that needs none"}};
  deps_.interrupt->agree(
      node.bound.served->exchange(list.gradients, deps_.interrupt->rank_flags()));
}

// Replicas that were trained with the same gradients must have the same bits.
void Executor::check_copies(const Plan& plan, const Node& node) const {
  for (const auto& [to, from] : node.bound.copied) {
    if (!to->trainable()) continue;
    const std::string difference = deps_.backend->difference(to->value, from->value, 0);
    if (!difference.empty())
      throw base::Error{
          base::Exit::numbers,
          {plan.describe(node),
           "variable '" + to->name + "' differs from '" + from->name + "': " + difference,
           "the same bits in all replicas",
           "look for what writes to one replica alone, or for operators whose sums "
           "have no fixed order"}};
  }
}

void Executor::copy(const Plan& plan, Node& node) {
  const auto& options = node.as<CopyNode>();
  if (node.bound.copied.empty())
    for (const auto& variable : deps_.variables->all())
      if (std::ranges::find(options.to, variable->replica) != options.to.end())
        if (runtime::Variable* from = deps_.variables->find(variable->bare(), options.from))
          node.bound.copied.push_back({variable.get(), from});
  if (options.check) check_copies(plan, node);
  const runtime::Consistency::Change change(deps_.variables->consistency());
  const runtime::VariableWrites::Write write(deps_.variables->writes());
  for (const BoundNode::Copied& pair : node.bound.copied)
    deps_.backend->assign(pair.to->value, pair.from->value);
}

void Executor::broadcast(const Node& node) {
  note(node.kind);
  if (!deps_.group || deps_.backend->is_null()) return;
  const runtime::VariableWrites::Write write(deps_.variables->writes());
  for (const auto& variable : deps_.variables->all())
    if (!variable->local())
      broadcast_value(*deps_.group, *deps_.backend, *variable, node.as<BroadcastNode>().root);
  if (deps_.rank_writes) deps_.rank_writes->all_were_sent();
}

void Executor::call(const Node& node) {
  note(node.kind);
  const uint64_t said = abi::thread_state().messages;
  const auto& [instance, function, user] = node.as<CallNode>();
  const broch_status status =
      abi::invoke(*instance, node.name.c_str(), abi::Role::main, abi::kMayStop,
                  [function = function, user = user] { return function(user); });
  if (status == BROCH_STOP) throw stopped_by(instance, said);
}

void Executor::run_operation(const Node& node, const RunRequest& request) {
  const auto& [instance, op] = node.as<OperationNode>();
  replay::run_operation(replay::operation_runner(*instance, op), request.number);
}

}  // namespace broch::plan
