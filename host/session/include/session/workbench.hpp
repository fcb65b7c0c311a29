// workbench.hpp: a host for single instances, without a run: no model, no trainer, no log folder.
#pragma once
#include <memory>

#include "abi/context.hpp"
#include "abi/seeds.hpp"
#include "plan/interrupt.hpp"
#include "replay/tower_runner.hpp"
#include "session/checkpoints.hpp"
#include "session/instances.hpp"
#include "session/ui.hpp"
#include "tower/tower.hpp"

namespace broch::session {

// An instance, together with what it was created from.
struct Made {
  manifest::Component component;
  std::unique_ptr<Instances> instances;
  abi::Instance* instance = nullptr;
};

class Workbench {
 public:
  // backend: nullptr for the null backend, which counts but computes nothing.
  Workbench(const plugins::Catalog& catalog, const Kinds& kinds,
            std::shared_ptr<runtime::Backend> backend = nullptr, uint64_t seed = 1);
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  const abi::Context& context() const { return context_; }
  // A failure of an instance names its place in the manifest only until the next call of make, so
  // instances that are used side by side need a workbench each. REQUIRES: the component is
  // resolved. Throws base::Error if creation fails.
  std::unique_ptr<Made> make(manifest::Component component);
  // Ends waits for data; may be installed as the handler of signals.
  plan::Interrupt& interrupt() { return interrupt_; }
  // Instances are then told to give up by this one. It must outlive them.
  void heed(const plan::Interrupt& other) {
    context_.provide(const_cast<broch_cancel*>(other.token()));
  }

 private:
  const plugins::Catalog& catalog_;
  const Kinds& kinds_;
  std::shared_ptr<runtime::Backend> backend_;
  runtime::VariableStore variables_;
  runtime::HyperParams hypers_;
  tower::RunContext towers_;
  broch_progress progress_{};
  abi::Seeds seeds_;
  Checkpoints checkpoints_;
  plan::Interrupt interrupt_;
  abi::Context context_;
};

}  // namespace broch::session
