// gradient_processor.hpp: maps a list of gradients to another one, between reduction and update.
// tensorpack: `GradientProcessor`.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "optimizer/entry.hpp"
#include "optimizer/gradients.hpp"
#include "optimizer/instance_maker.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "optimizer/watch_context.hpp"

namespace broch::optimizer {

class GradientProcessor {
 public:
  virtual ~GradientProcessor() = default;
  virtual std::string name() const = 0;  // for messages
  // Called once when the plan is sealed: returns the variables whose gradients are passed on. A
  // processor may leave some out, which freezes those variables.
  virtual std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) {
    return variables;
  }
  // Replaces gradients, and removes those of variables that `keep` left out. A description: it
  // computes with operators only and does the same in each call, since it is recorded and replayed
  // without being called. It must not write to the gradients it gets.
  virtual void process(GradientList&) {}

  // For processors that observe. The first watch computes tensors from the gradients that are
  // passed on (a description as well), watches() of them; valid after keep. The second watch gets
  // them after each execution, before variables are updated.
  virtual size_t watches() const { return 0; }
  virtual std::vector<runtime::Tensor> watch(const GradientList&) { return {}; }
  virtual void watch(std::span<const runtime::Tensor>, const WatchContext&) {}
  // The moving averages that watch updates. Valid after keep, as long as the processor.
  virtual std::vector<tower::Moving> averages() const { return {}; }
};

// The gradients to which processors are applied.
struct GradientSite {
  runtime::Backend& backend;
  bool is_main = true;  // gradients of the main tower or of all towers together
  const runtime::VariableStore* variables = nullptr;  // outlives the processor
  InstanceMaker make_instance{};                      // empty: there are no plugins
};

// Makes a processor from its entry: {"use": "global-norm-clip", "with": {"global_norm": 5}}.
std::unique_ptr<GradientProcessor> make_processor(const GradientSite& site, const Entry& entry);
std::vector<BuiltIn> built_in_processors();
// All components that are part of the host: update rules and gradient processors.
std::vector<BuiltIn> built_ins();

}  // namespace broch::optimizer
