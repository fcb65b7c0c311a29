// plan.hpp: builds the plans of a trainer or a callback, node by node. ext/plan.h describes the
// kinds of nodes and their options. Failures throw Error.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config.hpp"

namespace broch {
inline namespace v0 {

class Plan {
 public:
  using Nodes = std::vector<broch_node>;
  // The options of broch.plan.tower/1.
  struct TowerOptions {
    std::string name, vs_name;
    uint32_t index = 0, total = 1;
    std::string device = "cpu:0";
    bool training = true;
    std::vector<std::string> variable_devices;  // empty: on the device of the tower
  };

  // Call this, and the functions that add nodes, in setup_graph.
  Plan(const Host& host, const std::string& name)
      : host_(host), table_(host.require<broch_plan_ext>(BROCH_EXT_PLAN)) {
    host_.check(table_->create(host_.c(), name.c_str(), &plan_));
  }

  // kind and options (JSON text) as in ext/plan.h. inputs: the nodes that it depends on.
  broch_node add(const char* kind, const Nodes& inputs, const std::string& options = "{}") {
    broch_node node = 0;
    host_.check(table_->add(host_.c(), plan_, kind, inputs.data(), uint32_t(inputs.size()),
                            options.c_str(), &node));
    return node;
  }
  // Takes one data point for each of these towers.
  broch_node input(const std::vector<uint32_t>& towers = {0}) {
    std::vector<std::string> list;
    for (const uint32_t tower : towers) list.push_back(std::to_string(tower));
    return add("broch.plan.input/1", {}, R"({"towers":)" + json_list(list) + "}");
  }
  broch_node tower(const Nodes& input, const TowerOptions& of) {
    return add("broch.plan.tower/1", input,
               R"({"name":)" + json_text(of.name) + R"(,"vs_name":)" + json_text(of.vs_name) +
                   R"(,"index":)" + std::to_string(of.index) + R"(,"total":)" +
                   std::to_string(of.total) + R"(,"device":)" + json_text(of.device) +
                   R"(,"variable_devices":)" +
                   (of.variable_devices.empty() ? "null" : json_texts(of.variable_devices)) +
                   R"(,"mode":")" + (of.training ? "train" : "inference") + "\"}");
  }
  // cost: a published name; "": what the tower function returned. variables: a regular expression
  // for whole names; "": all trainable variables of the tower.
  broch_node gradients(broch_node tower, const std::string& cost = "",
                       const std::string& variables = "") {
    return add(
        "broch.plan.gradients/1", {tower},
        R"({"cost":)" + text_or_null(cost) + R"(,"variables":)" + text_or_null(variables) + "}");
  }
  // The mean of lists of the same variables.
  broch_node mean(const Nodes& lists) { return add("broch.plan.reduce/1", lists); }
  // The sum of lists of the same variables, multiplied by scale. algorithm "": added in the order
  // of the lists; "nccl": by NCCL, in its own order.
  broch_node sum(const Nodes& lists, double scale = 1, const std::string& algorithm = "") {
    std::string options = R"({"mode":"sum","scale":)" + number_text(scale);
    if (!algorithm.empty()) options += R"(,"algorithm":)" + json_text(algorithm);
    return add("broch.plan.reduce/1", lists, options + '}');
  }
  // Applies the gradient processors of the manifest.
  broch_node process(broch_node list) { return add("broch.plan.process/1", {list}); }
  struct ApplyOptions {
    std::string optimizer;  // a manifest entry as JSON text; "": that of the manifest or model
    std::string name;       // of the node, for messages; "": none
    // The vs_name of a tower whose variables are updated instead of those of the list.
    std::optional<std::string> replica;
  };
  // Updates the variables.
  broch_node apply(broch_node list, const ApplyOptions& how = {}) {
    std::string options = R"({"optimizer":)" + (how.optimizer.empty() ? "null" : how.optimizer);
    if (!how.name.empty()) options += R"(,"name":)" + json_text(how.name);
    if (how.replica) options += R"(,"replica":)" + json_text(*how.replica);
    return add("broch.plan.apply/1", {list}, options + '}');
  }
  // Copies all variables of one replica, with the slots of optimizers, to the others. A replica is
  // named by the vs_name of its tower; "" is the first one. check: fails if a trainable variable
  // differs in its bits.
  broch_node copy(const std::string& from, const std::vector<std::string>& to, bool check = false) {
    return add("broch.plan.copy/1", {},
               R"({"from":)" + json_text(from) + R"(,"to":)" + json_texts(to) +
                   (check ? R"(,"check":true})" : "}"));
  }
  // Updates the variables on the parameter servers. Then all ranks that train, and these replicas,
  // receive the new values.
  broch_node serve(broch_node list, const std::vector<std::string>& replicas = {}) {
    return add("broch.plan.serve/1", {list}, R"({"to":)" + json_texts(replicas) + "}");
  }
  struct AllReduceOptions {
    bool mean = true;
    double scale = 1;
    std::string compression = "none";  // or "fp16": float32 is sent as float16
  };
  // Combines the lists of all ranks.
  broch_node all_reduce(broch_node list, const AllReduceOptions& how) {
    return add("broch.plan.all_reduce/1", {list},
               std::string(R"({"mode":")") + (how.mean ? "mean" : "sum") + R"(","scale":)" +
                   number_text(how.scale) + R"(,"compression":)" + json_text(how.compression) +
                   "}");
  }
  // All variables that are not LOCAL get the values that they have on rank root.
  broch_node broadcast(uint32_t root = 0) {
    return add("broch.plan.broadcast/1", {}, R"({"root":)" + std::to_string(root) + "}");
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
  // items: each a JSON text.
  static std::string json_list(const std::vector<std::string>& items) {
    std::string text = "[";
    for (const std::string& item : items) {
      if (text.size() > 1) text += ',';
      text += item;
    }
    return text + ']';
  }
  static std::string json_texts(std::vector<std::string> texts) {
    for (std::string& text : texts) text = json_text(text);
    return json_list(texts);
  }
  static std::string text_or_null(const std::string& text) {
    return text.empty() ? "null" : json_text(text);
  }

  Host host_;
  const broch_plan_ext* table_;
  broch_plan plan_ = 0;
};

}  // namespace v0
}  // namespace broch
