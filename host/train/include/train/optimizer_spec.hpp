// optimizer_spec.hpp: built-in update rules as entries of a manifest: {"use": "adam", "with": {…}}.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "runtime/backend.hpp"

namespace broch::train {

struct OptimizerSpec {
  std::string use;  // "broch.optimizer.adam"
  runtime::Rule rule = runtime::Rule::sgd;
  bool nesterov = false;
  std::vector<std::pair<std::string, double>> numbers;  // hyper-parameters with initial values

  bool operator==(const OptimizerSpec&) const = default;
};

// Reads and checks the text of an entry. place is for messages. Defaults are torch.optim's.
OptimizerSpec parse_optimizer(const std::string& entry, const std::string& place);

// Names of the slots a rule keeps for each variable.
std::vector<std::string> slot_names(runtime::Rule rule);

// What the host itself offers for roles optimizer and gradient_processor.
struct BuiltIn {
  std::string id;
  std::string role;
  std::string summary;
  std::string options;  // JSON Schema of "with"
};
std::vector<BuiltIn> built_in_optimizers();

}  // namespace broch::train
