// gradient_processor.hpp: a map over a list of gradients, between reduction and update. Seed term:
// GradientProcessor.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "train/gradients.hpp"
#include "train/optimizer_spec.hpp"

namespace broch::train {

class GradientProcessor {
 public:
  virtual ~GradientProcessor() = default;
  virtual std::string name() const = 0;  // for messages
  // Once, when the plan is sealed: which of the list go on (a processor may freeze variables).
  virtual std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) {
    return variables;
  }
  // Replaces gradients; drops those whose variables keep left out. A description: computes with
  // operators alone, the same in each call, since it is recorded and then replayed without a call.
  // Writes to no gradient that it was given.
  virtual void process(GradientList& list) = 0;
};

// Reads a manifest entry: {"use": "global-norm-clip", "with": {"global_norm": 5}}.
std::unique_ptr<GradientProcessor> make_processor(runtime::Backend& backend,
                                                  const std::string& entry,
                                                  const std::string& place);
std::vector<BuiltIn> built_in_processors();
// Everything that the host itself offers: update rules and gradient processors.
std::vector<BuiltIn> built_ins();

}  // namespace broch::train
