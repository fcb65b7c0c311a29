// optimizer_spec.hpp: optimizers as entries of a manifest: {"use": "adam", "with": {…}}, an update
// rule or one optimizer around another.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "optimizer/instance_maker.hpp"
#include "optimizer/operator_call.hpp"
#include "runtime/update_rule.hpp"

namespace broch::optimizer {

// What is done to variables after an update. tensorpack: `PostProcessOptimizer`,
// `VariableAssignmentOptimizer`.
struct AfterUpdate {
  std::string variables;  // regular expression of whole names
  OperatorCall call;
  bool assigns = false;       // its result is the new value; else it writes to the variable itself
  bool with_updates = false;  // inside of accum-grad: only after runs that update

  bool operator==(const AfterUpdate&) const = default;
};

struct Slot {
  std::string name;    // of the variable {variable}/{name}
  double initial = 0;  // each element

  bool operator==(const Slot&) const = default;
};

struct OptimizerSpec {
  std::string use;  // "broch.optimizer.adam": the rule
  runtime::UpdateSettings settings;
  abi::Instance* plugin = nullptr;  // whose rule it is; nullptr: the host's
  std::vector<Slot> plugin_slots;
  std::vector<std::pair<std::string, double>> numbers;  // hyper-parameters with initial values
  // Around the rule.
  std::vector<std::string> processors;  // entries of gradient processors, the first that runs first
  int64_t niter = 1;                    // accum-grad: gradients are summed over so many runs
  bool averages = false;                // accum-grad: the sum is divided by niter
  std::vector<AfterUpdate> after;       // in order

  // Of the rule, in the order of runtime::UpdateStep or of the plugin's outline.
  std::vector<Slot> slots() const;
  // Whether it goes by the number of the update.
  bool counts() const { return plugin || !slots().empty(); }

  bool operator==(const OptimizerSpec&) const = default;
};

// Reads and checks the text of an entry. place is for messages. Defaults are torch.optim's, or
// TensorFlow 1's where the entry says "rule": "tf1". make_instance: none: there are no plugins.
OptimizerSpec parse_optimizer(const std::string& entry, const std::string& place,
                              const InstanceMaker& make_instance = {});

// What the host itself offers for roles optimizer and gradient_processor.
struct BuiltIn {
  std::string id;
  std::string role;
  std::string summary;
  std::string options;  // JSON Schema of "with"
};
std::vector<BuiltIn> built_in_optimizers();

}  // namespace broch::optimizer
