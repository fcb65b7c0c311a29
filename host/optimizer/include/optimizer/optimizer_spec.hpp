// optimizer_spec.hpp: optimizers as manifest entries: {"use": "adam", "with": {…}}, which is an
// update rule or an optimizer that wraps another one.
#pragma once
#include <string>
#include <vector>

#include "optimizer/entry.hpp"
#include "optimizer/instance_maker.hpp"
#include "optimizer/operator_call.hpp"
#include "optimizer/variable_groups.hpp"
#include "runtime/update_rule.hpp"

namespace broch::optimizer {

// An operator applied to variables after an update. tensorpack: `PostProcessOptimizer`,
// `VariableAssignmentOptimizer`.
struct AfterUpdate {
  std::string variables;  // regular expression that matches whole names
  OperatorCall call;
  bool assigns = false;  // assigns its result; else it writes to the variable

  bool operator==(const AfterUpdate&) const = default;
};

struct Slot {
  std::string name;    // of the variable {variable}/{name}
  double initial = 0;  // value of each element

  bool operator==(const Slot&) const = default;
};

// Every `period` updates, slow weights move by `share` of the way to the weights, which continue
// from there.
struct Lookahead {
  int64_t period = 0;  // 0: there is none
  double share = 0;

  bool operator==(const Lookahead&) const = default;
};

struct OptimizerSpec {
  std::string use;  // id of the rule, such as "broch.optimizer.adam"
  runtime::UpdateSettings settings;
  abi::Instance* plugin = nullptr;  // provides the rule; nullptr: the host does
  std::vector<Slot> plugin_slots;
  NamedNumbers numbers;  // hyper-parameters with initial values
  // What wraps the rule.
  VariableGroups groups;
  std::vector<Entry> processors;      // of the gradients of each run, in the order they run
  int64_t niter = 1;                  // accum-grad: number of steps to sum over
  bool averages = false;              // accum-grad: the sum is divided by niter
  std::vector<Entry> sum_processors;  // of the sums, once per update; empty if niter is 1
  Lookahead lookahead;
  std::vector<AfterUpdate> after;  // in the order they run

  // The slots of the rule, in the order of runtime::UpdateStep or of the plugin's spec.
  std::vector<Slot> slots() const;
  std::vector<int64_t> slot_shape(size_t slot, const runtime::Variable& variable) const;
  // Throws base::Error if a group or a step after the update takes none of the variables. where:
  // the node, for messages.
  void check_variables(const std::vector<runtime::Variable*>& variables,
                       const std::string& where) const;
  // Whether the rule needs the number of the update.
  bool counts() const { return plugin || !slots().empty(); }
  // Whether an update is gradient descent without slots, by the gradient of one run.
  bool is_plain_descent() const {
    return settings.rule == runtime::Rule::sgd && niter == 1 && !plugin;
  }

  bool operator==(const OptimizerSpec&) const = default;
};

// Reads and checks an entry. Defaults are those of torch.optim, or of TensorFlow 1 with "rule":
// "tf1". make_instance: empty if there are no plugins.
OptimizerSpec read_optimizer(const Entry& entry, const InstanceMaker& make_instance = {});

// An optimizer or gradient processor that is part of the host.
struct BuiltIn {
  std::string id;
  std::string role;
  std::string summary;
  std::string options;  // JSON Schema of "with"
};
std::vector<BuiltIn> built_in_optimizers();

}  // namespace broch::optimizer
