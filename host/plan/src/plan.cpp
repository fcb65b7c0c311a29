// plan.cpp: reading nodes, checking how they fit together, and their order.
#include "plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "abi/guard.hpp"
#include "base/text.hpp"
#include "optimizer/json_options.hpp"
#include "refuse.hpp"
#include "tower/graph_op.hpp"

namespace broch::plan {

namespace {

struct KindEntry {
  NodeKind kind;
  const char* name;
};
constexpr KindEntry kKinds[] = {{NodeKind::input, "broch.plan.input/1"},
                                {NodeKind::tower, "broch.plan.tower/1"},
                                {NodeKind::gradients, "broch.plan.gradients/1"},
                                {NodeKind::reduce, "broch.plan.reduce/1"},
                                {NodeKind::all_reduce, "broch.plan.all_reduce/1"},
                                {NodeKind::process, "broch.plan.process/1"},
                                {NodeKind::apply, "broch.plan.apply/1"},
                                {NodeKind::serve, "broch.plan.serve/1"},
                                {NodeKind::copy, "broch.plan.copy/1"},
                                {NodeKind::broadcast, "broch.plan.broadcast/1"},
                                {NodeKind::op, "broch.plan.op/1"},
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

void read_when(Node& node, JsonOptions& options) {
  std::optional<JsonOptions> when = options.object("when");
  if (!when) return;
  node.every = when->integer("every").value_or(1);
  node.offset = when->integer("offset").value_or(0);
  if (node.every < 1) when->refuse("every", "1 or more");
  if (node.offset < 0 || node.offset >= node.every)
    when->refuse("offset", "from 0 to less than every");
  when->done();
}

constexpr int64_t kMaxCount = 0xFFFF;

void read_input(Node& node, JsonOptions& options) {
  if (options.text("source")) options.refuse("source", "null, the manifest's input");
  node.towers.clear();
  for (const int64_t index : options.integers("towers").value_or(std::vector<int64_t>{0})) {
    const auto place = static_cast<uint32_t>(index);
    if (index < 0 || index > kMaxCount ||
        std::ranges::find(node.towers, place) != node.towers.end())
      options.refuse("towers", "indices from 0 to 65535, each once");
    node.towers.push_back(place);
  }
  if (node.towers.empty()) options.refuse("towers", "at least one index");
}

uint32_t read_count(JsonOptions& options, const char* key, int64_t initial) {
  const int64_t value = options.integer(key).value_or(initial);
  if (value < 0 || value > kMaxCount) options.refuse(key, "from 0 to 65535");
  return static_cast<uint32_t>(value);
}

void read_variable_devices(Node& node, JsonOptions& options, uint32_t local_rank) {
  const auto names = options.list("variable_devices");
  if (!names) return;
  for (const nlohmann::json& name : *names) {
    if (!name.is_string()) options.refuse("variable_devices", "names of devices");
    const runtime::Device device = runtime::parse_device(name.get<std::string>(), local_rank);
    if (std::ranges::find(node.spec.variable_devices, device) != node.spec.variable_devices.end())
      options.refuse("variable_devices", "each device once");
    node.spec.variable_devices.push_back(device);
  }
}

void read_tower(Node& node, JsonOptions& options, uint32_t local_rank) {
  node.spec.name = options.text("name").value_or("");
  node.spec.vs_name = options.text("vs_name").value_or("");
  node.spec.index = read_count(options, "index", 0);
  node.spec.total = read_count(options, "total", 1);
  if (node.spec.index >= node.spec.total) options.refuse("index", "less than total");
  node.spec.device = runtime::parse_device(options.text("device").value_or("cpu:0"), local_rank);
  read_variable_devices(node, options, local_rank);
  const std::string mode = options.text("mode").value_or("train");
  if (mode != "train" && mode != "inference") options.refuse("mode", "\"train\" or \"inference\"");
  node.spec.training = mode == "train";
}

void read_reduce(Node& node, JsonOptions& options) {
  const std::string mode = options.text("mode").value_or("mean");
  if (mode != "mean" && mode != "sum") options.refuse("mode", "\"mean\" or \"sum\"");
  node.mean = mode == "mean";
  node.scale = options.number("scale").value_or(1);
  if (!std::isfinite(node.scale)) options.refuse("scale", "a finite number");
}

void read_algorithm(Node& node, JsonOptions& options) {
  const std::string word = options.text("algorithm").value_or("order");
  if (word != "order" && word != "nccl") options.refuse("algorithm", "\"order\" or \"nccl\"");
  node.by_nccl = word == "nccl";
}

void read_processors(Node& node, JsonOptions& options) {
  const auto entries = options.list("processors");
  if (!entries) return;
  node.processors.emplace();
  for (const nlohmann::json& entry : *entries) node.processors->push_back(entry.dump());
}

void read_optimizer(Node& node, JsonOptions& options) {
  if (const auto entry = options.value("optimizer")) node.optimizer = entry->dump();
}

void read_apply(Node& node, JsonOptions& options) {
  read_optimizer(node, options);
  node.replica = options.text("replica");
}

void read_replicas(Node& node, JsonOptions& options) {
  const auto to = options.list("to");
  if (!to) return;
  for (const nlohmann::json& replica : *to) {
    if (!replica.is_string() || replica == node.from)
      options.refuse("to", "names of other replicas than " + base::quoted(node.from));
    node.to.push_back(replica.get<std::string>());
  }
}

void read_copy(Node& node, JsonOptions& options) {
  node.from = options.text("from").value_or("");
  node.check = options.flag("check").value_or(false);
  read_replicas(node, options);
  if (node.to.empty()) options.refuse("to", "at least one replica");
}

void read_serve(Node& node, JsonOptions& options) {
  read_optimizer(node, options);
  read_replicas(node, options);
}

void read_compression(Node& node, JsonOptions& options) {
  const std::string word = options.text("compression").value_or("none");
  if (word != "none" && word != "fp16") options.refuse("compression", "null, \"none\" or \"fp16\"");
  node.halves = word == "fp16";
}

void read_broadcast(Node& node, JsonOptions& options) {
  const int64_t root = options.integer("root").value_or(0);
  if (root < 0 || root > kMaxCount) options.refuse("root", "a rank");
  node.root = static_cast<uint32_t>(root);
}

void read_options(Node& node, JsonOptions options, uint32_t local_rank) {
  if (node.kind == NodeKind::input) read_input(node, options);
  if (node.kind == NodeKind::tower) read_tower(node, options, local_rank);
  if (node.kind == NodeKind::gradients) node.cost = options.text("cost");
  if (node.kind == NodeKind::reduce || node.kind == NodeKind::all_reduce)
    read_reduce(node, options);
  if (node.kind == NodeKind::reduce) read_algorithm(node, options);
  if (node.kind == NodeKind::all_reduce) read_compression(node, options);
  if (node.kind == NodeKind::process) read_processors(node, options);
  if (node.kind == NodeKind::apply) read_apply(node, options);
  if (node.kind == NodeKind::serve) read_serve(node, options);
  if (node.kind == NodeKind::copy) read_copy(node, options);
  if (node.kind == NodeKind::broadcast) read_broadcast(node, options);
  if (node.kind == NodeKind::gradients || node.kind == NodeKind::apply ||
      node.kind == NodeKind::serve)
    node.variables = options.text("variables");
  if (const auto name = options.text("name"); name && !name->empty()) node.name = *name;
  read_when(node, options);
  options.done();
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

Node& Plan::append(NodeKind kind, std::vector<uint32_t> inputs, const std::string& options) {
  if (sealed_)
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION, "plan '" + name_ + "' is sealed already"};
  Node node;
  node.kind = kind;
  node.inputs = std::move(inputs);
  node.name = std::string(kind_name(kind)).substr(std::string("broch.plan.").size());
  node.name.resize(node.name.find('/'));
  node.name += std::to_string(nodes_.size());
  try {
    read_options(node, JsonOptions::parse(options, describe(node)), local_rank_);
  } catch (const base::Error& error) {
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, error.what()};
  }
  return nodes_.emplace_back(std::move(node));
}

uint32_t Plan::add(std::string_view kind, std::vector<uint32_t> inputs, const char* options) {
  const KindEntry& entry = kind_of(kind);
  if (entry.kind == NodeKind::op || entry.kind == NodeKind::call)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                         std::string(entry.name) + " is added with " +
                             (entry.kind == NodeKind::op ? "add_op" : "add_call")};
  append(entry.kind, std::move(inputs), options ? options : "");
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Plan::add_call(std::vector<uint32_t> inputs, const char* options, abi::Instance& instance,
                        broch_status (*function)(void*), void* user) {
  if (!function)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                         "add_call to plan '" + name_ + "': fn is NULL, expected a function"};
  Node& node = append(NodeKind::call, std::move(inputs), options ? options : "");
  node.instance = &instance;
  node.function = function;
  node.user = user;
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Plan::add_op(std::vector<uint32_t> inputs, const char* options, abi::Instance& instance,
                      broch_graph_op op) {
  tower::graph_runner(instance, op);  // throws where it is none
  Node& node = append(NodeKind::op, std::move(inputs), options ? options : "");
  node.instance = &instance;
  node.op = op;
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void Plan::mark_sealed() {
  sealed_ = true;
  for (const Node& node : nodes_) {
    meets_ranks_ |= node.kind == NodeKind::all_reduce || node.kind == NodeKind::serve;
    has_calls_ |= node.kind == NodeKind::call;
  }
}

void Plan::check() {
  if (sealed_)
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION, "plan '" + name_ + "' is sealed already"};
  std::set<std::string> names;
  for (const Node& node : nodes_) {
    if (!names.insert(node.name).second && node.kind != NodeKind::tower)
      refuse(describe(node), "a name that an earlier node has", "names of their own");
    check_node(node);
  }
  make_order();
}

void Plan::check_node(const Node& node) const {
  using Kinds = std::initializer_list<NodeKind>;
  static constexpr Kinds lists = {NodeKind::gradients, NodeKind::reduce, NodeKind::all_reduce,
                                  NodeKind::process};
  const auto require = [&](size_t count, Kinds kinds, const char* what) {
    bool right = node.inputs.size() == count;
    std::vector<std::string> found;
    for (const uint32_t input : node.inputs) {
      found.emplace_back(kind_name(nodes_[input].kind));
      right &= std::ranges::find(kinds, nodes_[input].kind) != kinds.end();
    }
    if (!right)
      refuse(describe(node), found.empty() ? "no inputs" : "the inputs " + base::join(found, ", "),
             what);
  };
  switch (node.kind) {
    case NodeKind::input:
      require(0, {}, "no inputs");
      break;
    case NodeKind::tower:
      check_tower(node);
      break;
    case NodeKind::gradients:
      require(1, {NodeKind::tower}, "one tower");
      break;
    case NodeKind::reduce:
      require(std::max<size_t>(node.inputs.size(), 1), lists, "lists of gradients");
      break;
    case NodeKind::all_reduce:
    case NodeKind::process:
    case NodeKind::apply:
    case NodeKind::serve:
      require(1, lists, "one list of gradients");
      break;
    case NodeKind::copy:
    case NodeKind::broadcast:
    case NodeKind::op:
    case NodeKind::call:
      break;
  }
}

void Plan::check_tower(const Node& node) const {
  if (node.inputs.empty()) return;
  const Node& input = nodes_[node.inputs[0]];
  if (node.inputs.size() > 1 || input.kind != NodeKind::input)
    refuse(describe(node), "the inputs of " + std::to_string(node.inputs.size()) + " nodes",
           "one node of kind broch.plan.input/1, or none");
  if (std::ranges::find(input.towers, node.spec.index) == input.towers.end())
    refuse(describe(node), "tower index " + std::to_string(node.spec.index),
           "one of the towers of " + describe(input));
}

void Plan::make_order() {
  std::vector<NodeKind> phase(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const NodeKind kind = nodes_[i].kind;
    const bool reduces = kind == NodeKind::reduce || kind == NodeKind::all_reduce;
    phase[i] = reduces ? NodeKind::process : kind;
    if (nodes_[i].kind < NodeKind::op) continue;
    // Without inputs: where it was added.
    phase[i] = nodes_[i].inputs.empty() && i > 0 ? phase[i - 1] : NodeKind::input;
    for (const uint32_t input : nodes_[i].inputs) phase[i] = std::max(phase[i], phase[input]);
  }
  order_.resize(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) order_[i] = static_cast<uint32_t>(i);
  std::ranges::stable_sort(order_, {}, [&](uint32_t i) { return phase[i]; });
}

}  // namespace broch::plan
