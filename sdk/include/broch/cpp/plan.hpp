// plan.hpp: builds the plans of a trainer or a callback, node by node. plan_nodes.h describes the
// kinds of nodes and their options. Failures throw Error.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "host.hpp"
#include "operation.hpp"

namespace broch {
inline namespace v0 {

// What all nodes have.
struct NodeOptions {
  std::string name;  // for messages and hyper-parameters; "": kind and place, as "apply3"
  // The node takes part in runs of the plan whose number (from 0) modulo every is in offsets; all
  // of its inputs must, too. every 1: whenever all of its inputs do.
  uint32_t every = 1;
  std::vector<uint32_t> offsets = {0};
};

class Plan {
 public:
  using Nodes = std::vector<broch_node>;
  using Texts = std::vector<std::string>;

  // Call this, and the functions that add nodes, in setup_graph.
  Plan(const Host& host, const std::string& name)
      : host_(host), table_(host.require<broch_host_plan>(BROCH_EXT_PLAN)) {
    host_.check(table_->create(host_.c(), name.c_str(), &plan_));
  }

  // Any kind, also one that this header does not know. options: of the struct of the kind.
  broch_node add(const char* kind, const Nodes& inputs, const broch_node_options* options) {
    broch_node node = 0;
    host_.check(table_->add(host_.c(), plan_, kind, inputs.data(), uint32_t(inputs.size()), options,
                            &node));
    return node;
  }

  // Takes one data point for each of these towers.
  broch_node input(const std::vector<uint32_t>& towers = {0}, const NodeOptions& node = {}) {
    auto options = make<broch_input_node>(node);
    options.towers = towers.data();
    options.tower_count = uint32_t(towers.size());
    return add(BROCH_NODE_INPUT, {}, &options.node);
  }

  struct TowerOptions {
    std::string name, vs_name;
    uint32_t index = 0, total = 1;
    std::string device = "cpu:0";
    bool training = true;
    Texts variable_devices;  // empty: on the device of the tower
  };
  broch_node tower(const Nodes& input, const TowerOptions& of, const NodeOptions& node = {}) {
    auto options = make<broch_tower_node>(node);
    const auto devices = pointers(of.variable_devices);
    options.name = of.name.c_str();
    options.vs_name = of.vs_name.c_str();
    options.index = of.index;
    options.total = of.total;
    options.device = of.device.c_str();
    options.variable_devices = devices.data();
    options.variable_device_count = uint32_t(devices.size());
    options.inference = of.training ? 0 : 1;
    return add(BROCH_NODE_TOWER, input, &options.node);
  }

  // cost: a published name; "": what the tower function returned. variables: a regular expression
  // for whole names; "": all trainable variables of the tower.
  broch_node gradients(broch_node tower, const std::string& cost = "",
                       const std::string& variables = "", const NodeOptions& node = {}) {
    auto options = make<broch_gradients_node>(node);
    options.cost = or_null(cost);
    options.variables = or_null(variables);
    return add(BROCH_NODE_GRADIENTS, {tower}, &options.node);
  }

  struct ReduceOptions {
    int32_t mode = BROCH_REDUCE_MEAN;  // or BROCH_REDUCE_SUM
    double scale = 1;                  // of the result
    bool by_nccl = false;              // NCCL adds, in its own order, if it can
  };
  // Combines lists of the same variables.
  broch_node reduce(const Nodes& lists, const ReduceOptions& how, const NodeOptions& node = {}) {
    auto options = make<broch_reduce_node>(node);
    options.mode = how.mode;
    options.algorithm = how.by_nccl ? BROCH_ADD_BY_NCCL : BROCH_ADD_IN_ORDER;
    options.scale = how.scale;
    return add(BROCH_NODE_REDUCE, lists, &options.node);
  }
  broch_node mean(const Nodes& lists, const NodeOptions& node = {}) {
    return reduce(lists, {}, node);
  }
  broch_node sum(const Nodes& lists, double scale = 1, bool by_nccl = false) {
    return reduce(lists, {BROCH_REDUCE_SUM, scale, by_nccl});
  }

  struct AllReduceOptions {
    int32_t mode = BROCH_REDUCE_MEAN;  // or BROCH_REDUCE_SUM
    double scale = 1;                  // of the result
    bool float16 = false;              // float32 is sent as float16
  };
  // Combines the lists of all ranks.
  broch_node all_reduce(broch_node list, const AllReduceOptions& how,
                        const NodeOptions& node = {}) {
    auto options = make<broch_all_reduce_node>(node);
    options.mode = how.mode;
    options.compression = how.float16 ? BROCH_COMPRESSION_FLOAT16 : BROCH_COMPRESSION_NONE;
    options.scale = how.scale;
    return add(BROCH_NODE_ALL_REDUCE, {list}, &options.node);
  }

  // Applies the gradient processors of the manifest.
  broch_node process(broch_node list, const NodeOptions& node = {}) {
    const auto options = make<broch_process_node>(node);
    return add(BROCH_NODE_PROCESS, {list}, &options.node);
  }
  // Applies these gradient processors, manifest entries as JSON text.
  broch_node process_with(broch_node list, const Texts& processors, const NodeOptions& node = {}) {
    auto options = make<broch_process_node>(node);
    auto entries = pointers(processors);
    options.processor_count = uint32_t(entries.size());
    entries.push_back(nullptr);  // so that an empty list is not NULL
    options.processors = entries.data();
    return add(BROCH_NODE_PROCESS, {list}, &options.node);
  }

  struct ApplyOptions {
    std::string optimizer;  // a manifest entry as JSON text; "": that of the manifest or model
    std::string variables;  // a regular expression for whole names; "": all of the list
    // The vs_name of a tower whose variables are updated instead of those of the list.
    std::optional<std::string> replica;
  };
  // Updates the variables.
  broch_node apply(broch_node list, const ApplyOptions& how = {}, const NodeOptions& node = {}) {
    auto options = make<broch_apply_node>(node);
    options.optimizer = or_null(how.optimizer);
    options.variables = or_null(how.variables);
    options.replica = how.replica ? how.replica->c_str() : nullptr;
    return add(BROCH_NODE_APPLY, {list}, &options.node);
  }

  // Updates the variables on the parameter servers. Then all ranks that train, and these replicas,
  // receive the new values.
  broch_node serve(broch_node list, const Texts& replicas = {}, const NodeOptions& node = {}) {
    auto options = make<broch_serve_node>(node);
    const auto to = pointers(replicas);
    options.to = to.data();
    options.to_count = uint32_t(to.size());
    return add(BROCH_NODE_SERVE, {list}, &options.node);
  }

  // Copies all variables of one replica, with the slots of optimizers, to the others. A replica is
  // named by the vs_name of its tower; "" is the first one. check: fails if a trainable variable
  // differs in its bits.
  broch_node copy(const std::string& from, const Texts& to, bool check = false,
                  const NodeOptions& node = {}) {
    auto options = make<broch_copy_node>(node);
    const auto names = pointers(to);
    options.from = from.c_str();
    options.to = names.data();
    options.to_count = uint32_t(names.size());
    options.check = check ? 1 : 0;
    return add(BROCH_NODE_COPY, {}, &options.node);
  }

  // All variables that are not LOCAL get the values that they have on rank root.
  broch_node broadcast(uint32_t root = 0, const NodeOptions& node = {}) {
    auto options = make<broch_broadcast_node>(node);
    options.root = root;
    return add(BROCH_NODE_BROADCAST, {}, &options.node);
  }

  // Calls a function between nodes. It may throw; StopTraining ends training. This Plan has to live
  // as long as the run, so keep it as a member.
  broch_node call(const Nodes& inputs, std::function<void()> function,
                  const NodeOptions& node = {}) {
    const auto options = make<broch_node_options>(node);
    calls_.push_back(std::make_unique<Call>(Call{host_, std::move(function)}));
    broch_node added = 0;
    host_.check(table_->add_call(host_.c(), plan_, inputs.data(), uint32_t(inputs.size()), &options,
                                 &invoke, calls_.back().get(), &added));
    return added;
  }

  // Runs an operation between nodes.
  broch_node operation(const Nodes& inputs, const Operation& of, const NodeOptions& node = {}) {
    return operation(inputs, of.handle(), node);
  }
  broch_node operation(const Nodes& inputs, broch_operation op, const NodeOptions& node = {}) {
    const auto options = make<broch_node_options>(node);
    broch_node added = 0;
    host_.check(table_->add_operation(host_.c(), plan_, inputs.data(), uint32_t(inputs.size()),
                                      &options, op, &added));
    return added;
  }

  // Checks the whole plan; call it after the last node was added.
  void seal() { host_.check(table_->seal(host_.c(), plan_)); }

  // Runs the plan once, in run_step or in a trigger event. group: the hook group; nullptr: that of
  // the trainer. If the result is not BROCH_OK, return it from run_step.
  broch_status run(bool hooked = true, const char* group = nullptr) {
    return host_.check(table_->run(host_.c(), plan_, hooked, group));
  }
  broch_plan handle() const { return plan_; }

 private:
  struct Call {
    Host host;
    std::function<void()> function;
  };
  static broch_status invoke(void* user) {
    const Call& call = *static_cast<Call*>(user);
    return at_border(call.host.c(), [&] {
      call.function();
      return broch_status{BROCH_OK};
    });
  }

  // Options of a kind with what all nodes have. They borrow from node.
  template <class Options>
  static Options make(const NodeOptions& node) {
    Options options{};
    broch_node_options& common = common_of(options);
    common.struct_size = sizeof options;
    common.every = node.every;
    common.offsets = node.offsets.data();
    common.offset_count = uint32_t(node.offsets.size());
    common.name = or_null(node.name);
    return options;
  }
  template <class Options>
  static broch_node_options& common_of(Options& options) {
    return options.node;
  }
  static broch_node_options& common_of(broch_node_options& options) { return options; }

  static const char* or_null(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  }
  static std::vector<const char*> pointers(const Texts& texts) {
    std::vector<const char*> list;
    for (const std::string& text : texts) list.push_back(text.c_str());
    return list;
  }

  Host host_;
  const broch_host_plan* table_;
  broch_plan plan_ = 0;
  std::vector<std::unique_ptr<Call>> calls_;
};

// A hooked run that executes nothing: callbacks are called, and global_step advances. For trainers
// whose steps are not plans.
inline broch_status run_empty(const Host& host, const char* group = nullptr) {
  return host.check(host.require<broch_host_plan>(BROCH_EXT_PLAN)->run_empty(host.c(), group));
}

}  // namespace v0
}  // namespace broch
