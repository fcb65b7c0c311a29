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
  // Once, when the plan is sealed: which of the list go on (a processor may freeze variables).
  virtual std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) {
    return variables;
  }
  // In each run: replaces gradients; drops those whose variables keep left out.
  virtual void process(GradientList& list) = 0;
};

// Reads a manifest entry: {"use": "global-norm-clip", "with": {"global_norm": 5}}.
std::unique_ptr<GradientProcessor> make_processor(runtime::Backend& backend,
                                                  const std::string& entry,
                                                  const std::string& place);
std::vector<BuiltIn> built_in_processors();

}  // namespace broch::train
