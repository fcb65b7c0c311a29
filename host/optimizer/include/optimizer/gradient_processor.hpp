// gradient_processor.hpp: a map over a list of gradients, between reduction and update.
// tensorpack: `GradientProcessor`.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "optimizer/gradients.hpp"
#include "optimizer/instance_maker.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "optimizer/watch_context.hpp"

namespace broch::optimizer {

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
  virtual void process(GradientList&) {}

  // Those that watch: tensors computed from the gradients that go on, a description as well, as
  // many as watches() says after keep; watch gets them after each run, before anything is updated.
  virtual size_t watches() const { return 0; }
  virtual std::vector<runtime::Tensor> watch(const GradientList&) { return {}; }
  virtual void watch(std::span<const runtime::Tensor>, const WatchContext&) {}
  // Names of moving averages that watch updates. After keep; valid as long as the processor.
  virtual std::vector<tower::Moving> averages() const { return {}; }
};

// Where processors are at work.
struct GradientSite {
  runtime::Backend& backend;
  std::string place;    // for messages
  bool is_main = true;  // the gradients of the main tower or of all of them, not of another tower
  const runtime::VariableStore* variables = nullptr;  // as long as the processor
  InstanceMaker make_instance{};                      // none: there are no plugins
};

// Reads a manifest entry: {"use": "global-norm-clip", "with": {"global_norm": 5}}.
std::unique_ptr<GradientProcessor> make_processor(const GradientSite& site,
                                                  const std::string& entry);
std::vector<BuiltIn> built_in_processors();
// Everything that the host itself offers: update rules and gradient processors.
std::vector<BuiltIn> built_ins();

}  // namespace broch::optimizer
