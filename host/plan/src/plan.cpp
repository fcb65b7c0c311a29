// plan.cpp: adds nodes, checks how they fit together, and puts them in order.
#include "plan/plan.hpp"

#include <algorithm>
#include <set>

#include "abi/guard.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "replay/operation.hpp"

namespace broch::plan {

namespace {

struct KindEntry {
  NodeKind kind;
  const char* name;
};
constexpr KindEntry kKinds[] = {{NodeKind::input, BROCH_NODE_INPUT},
                                {NodeKind::tower, BROCH_NODE_TOWER},
                                {NodeKind::gradients, BROCH_NODE_GRADIENTS},
                                {NodeKind::reduce, BROCH_NODE_REDUCE},
                                {NodeKind::all_reduce, BROCH_NODE_ALL_REDUCE},
                                {NodeKind::process, BROCH_NODE_PROCESS},
                                {NodeKind::apply, BROCH_NODE_APPLY},
                                {NodeKind::serve, BROCH_NODE_SERVE},
                                {NodeKind::copy, BROCH_NODE_COPY},
                                {NodeKind::broadcast, BROCH_NODE_BROADCAST},
                                {NodeKind::operation, "broch.plan.operation/1"},
                                {NodeKind::call, "broch.plan.call/1"}};

const KindEntry& kind_of(std::string_view name) {
  std::vector<std::string> names;
  for (const KindEntry& entry : kKinds) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  throw abi::CallError{BROCH_E_UNIMPLEMENTED, "this host has no plan nodes of kind " +
                                                  base::quoted(name) +
                                                  base::did_you_mean(name, names)};
}

using Kinds = std::initializer_list<NodeKind>;
constexpr Kinds kGivingLists = {NodeKind::gradients, NodeKind::reduce, NodeKind::all_reduce,
                                NodeKind::process};

// Throws base::Error unless the node has this number of inputs, each of one of the kinds.
void require_input_nodes(const Plan& plan, const Node& node, size_t count, Kinds kinds,
                         const char* expected) {
  bool right = node.inputs.size() == count;
  std::vector<std::string> found;
  for (const uint32_t input : node.inputs) {
    const NodeKind kind = plan.nodes()[input].kind;
    found.emplace_back(kind_name(kind));
    right &= std::ranges::find(kinds, kind) != kinds.end();
  }
  if (!right)
    base::fail(base::Exit::training, plan.describe(node),
               found.empty() ? "no inputs" : "the inputs " + base::join(found, ", "), expected);
}

using Indices = std::set<uint32_t>;

// before: the nodes whose turns decide when the inputs take part.
void require_inputs_in_turn(const Plan& plan, const Node& node, const Indices& before) {
  for (const uint32_t index : before) {
    const Node& other = plan.nodes()[index];
    const std::optional<uint64_t> missed = node.turns.first_outside(other.turns);
    if (!missed) continue;
    base::fail(base::Exit::training, plan.describe(node),
               "it takes part in " + node.turns.text() + ", but node '" + other.name +
                   "', on which it depends, only in " + other.turns.text() + ", so not in run " +
                   std::to_string(*missed) + " (the first is run 0)",
               "runs in which all that it depends on takes part",
               "give it the every and offsets of '" + other.name +
                   "', or none: then it takes part whenever its inputs do");
  }
}

// For a node that takes part whenever its inputs do.
void require_some_turn(const Plan& plan, const Node& node, const Indices& before) {
  for (const uint32_t a : before)
    for (const uint32_t b : before) {
      const Node &one = plan.nodes()[a], &other = plan.nodes()[b];
      if (one.turns.meet(other.turns)) continue;
      base::fail(base::Exit::training, plan.describe(node),
                 "it never takes part: it depends on node '" + one.name + "', which does in " +
                     one.turns.text() + ", and on node '" + other.name + "', which does in " +
                     other.turns.text(),
                 "a run in which both take part", "correct every and offsets of one of them");
    }
}

}  // namespace

const char* kind_name(NodeKind kind) {
  for (const KindEntry& entry : kKinds)
    if (entry.kind == kind) return entry.name;
  return "";
}

std::string Plan::describe(const Node& node) const {
  return "node '" + node.name + "' (" + kind_name(node.kind) + ") of plan '" + name_ + "'";
}

Node& Plan::append(NodeKind kind, std::vector<uint32_t> inputs, const broch_node_options* options) {
  if (sealed_)
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION, "plan '" + name_ + "' is sealed already"};
  Node node;
  node.kind = kind;
  node.inputs = std::move(inputs);
  node.name = std::string(kind_name(kind)).substr(std::string("broch.plan.").size());
  node.name.resize(node.name.find('/'));
  node.name += std::to_string(nodes_.size());
  try {
    node.spec = read_spec(kind, options, find_device_, describe(node));
    if (kind == NodeKind::tower && !node.as<TowerNode>().tower.name.empty())
      node.name = node.as<TowerNode>().tower.name;
    read_common(node, options, describe(node));
  } catch (const base::Error& error) {
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, error.what()};
  }
  return nodes_.emplace_back(std::move(node));
}

uint32_t Plan::add(std::string_view kind, std::vector<uint32_t> inputs,
                   const broch_node_options* options) {
  const KindEntry& entry = kind_of(kind);
  if (entry.kind == NodeKind::operation || entry.kind == NodeKind::call)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                         std::string(entry.name) + " is added with " +
                             (entry.kind == NodeKind::operation ? "add_operation" : "add_call")};
  append(entry.kind, std::move(inputs), options);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Plan::add_call(std::vector<uint32_t> inputs, const broch_node_options* options,
                        abi::Instance& instance, broch_status (*function)(void*), void* user) {
  if (!function)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                         "add_call to plan '" + name_ + "': fn is NULL, expected a function"};
  append(NodeKind::call, std::move(inputs), options).spec = CallNode{&instance, function, user};
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Plan::add_operation(std::vector<uint32_t> inputs, const broch_node_options* options,
                             abi::Instance& instance, broch_operation op) {
  replay::operation_runner(instance, op);  // throws where it is none
  append(NodeKind::operation, std::move(inputs), options).spec = OperationNode{&instance, op};
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void Plan::mark_sealed() {
  sealed_ = true;
  for (const Node& node : nodes_) {
    meets_ranks_ |= node.kind == NodeKind::all_reduce || node.kind == NodeKind::serve;
    waits_for_ranks_ |= node.kind == NodeKind::all_reduce || node.kind == NodeKind::broadcast;
    has_calls_ |= node.kind == NodeKind::call;
  }
}

void Plan::check() {
  if (sealed_)
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION, "plan '" + name_ + "' is sealed already"};
  std::set<std::string> names;
  for (const Node& node : nodes_) {
    if (!names.insert(node.name).second && node.kind != NodeKind::tower)
      base::fail(base::Exit::training, describe(node), "a name that an earlier node has",
                 "names of their own");
    check_node(node);
  }
  check_turns();
  make_order();
}

void Plan::check_node(const Node& node) const {
  switch (node.kind) {
    case NodeKind::input:
      require_input_nodes(*this, node, 0, {}, "no inputs");
      break;
    case NodeKind::tower:
      check_tower(node);
      break;
    case NodeKind::gradients:
      require_input_nodes(*this, node, 1, {NodeKind::tower}, "one tower");
      break;
    case NodeKind::reduce:
      require_input_nodes(*this, node, std::max<size_t>(node.inputs.size(), 1), kGivingLists,
                          "lists of gradients");
      break;
    case NodeKind::all_reduce:
    case NodeKind::process:
    case NodeKind::apply:
    case NodeKind::serve:
      require_input_nodes(*this, node, 1, kGivingLists, "one list of gradients");
      break;
    case NodeKind::copy:
    case NodeKind::broadcast:
    case NodeKind::operation:
    case NodeKind::call:
      break;
  }
}

void Plan::check_tower(const Node& node) const {
  if (node.inputs.empty()) return;
  const Node& input = nodes_[node.inputs[0]];
  if (node.inputs.size() > 1 || input.kind != NodeKind::input)
    base::fail(base::Exit::training, describe(node),
               "the inputs of " + std::to_string(node.inputs.size()) + " nodes",
               "one node of kind broch.plan.input/1, or none");
  const std::vector<uint32_t>& fed = input.as<InputNode>().towers;
  const uint32_t index = node.as<TowerNode>().tower.index;
  if (std::ranges::find(fed, index) == fed.end())
    base::fail(base::Exit::training, describe(node), "tower index " + std::to_string(index),
               "one of the towers of " + describe(input));
}

// A node that is left out in some of its own turns would leave a part of the training undone, and
// nobody would notice.
void Plan::check_turns() const {
  std::vector<Indices> deciding(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Indices before;
    for (const uint32_t input : nodes_[i].inputs)
      before.insert(deciding[input].begin(), deciding[input].end());
    if (nodes_[i].turns.all()) {
      require_some_turn(*this, nodes_[i], before);
      deciding[i] = std::move(before);
    } else {
      require_inputs_in_turn(*this, nodes_[i], before);
      deciding[i] = {static_cast<uint32_t>(i)};
    }
  }
}

void Plan::make_order() {
  std::vector<NodeKind> phase(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const NodeKind kind = nodes_[i].kind;
    const bool reduces = kind == NodeKind::reduce || kind == NodeKind::all_reduce;
    phase[i] = reduces ? NodeKind::process : kind;
    if (nodes_[i].kind < NodeKind::operation) continue;
    // Without inputs, it stays where it was added.
    phase[i] = nodes_[i].inputs.empty() && i > 0 ? phase[i - 1] : NodeKind::input;
    for (const uint32_t input : nodes_[i].inputs) phase[i] = std::max(phase[i], phase[input]);
  }
  order_.resize(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) order_[i] = static_cast<uint32_t>(i);
  std::ranges::stable_sort(order_, {}, [&](uint32_t i) { return phase[i]; });
}

}  // namespace broch::plan
