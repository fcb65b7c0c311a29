// world.hpp: a host for single instances, without a run.
#pragma once
#include <memory>

#include "abi/context.hpp"
#include "abi/seeds.hpp"
#include "plan/interrupt.hpp"
#include "replay/tower_runner.hpp"
#include "session/checkpoints.hpp"
#include "session/instances.hpp"
#include "subject.hpp"
#include "tower/tower.hpp"

namespace broch::check {

// An instance, together with what it was created from.
struct Made {
  manifest::Component component;
  std::unique_ptr<session::Instances> instances;
  abi::Instance* instance = nullptr;
};

class World {
 public:
  explicit World(Subject& subject);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const abi::Context& context() const { return context_; }
  // Throws base::Error if creation fails.
  std::unique_ptr<Made> make(manifest::Component component);

 private:
  Subject& subject_;
  std::shared_ptr<runtime::Backend> backend_;
  runtime::VariableStore variables_;
  runtime::HyperParams hypers_;
  tower::RunContext towers_;
  broch_progress progress_{};
  abi::Seeds seeds_{1, 0};
  session::Checkpoints checkpoints_;
  plan::Interrupt interrupt_;
  abi::Context context_;
};

// The component under test with these options, after they were checked and completed with defaults.
// Throws base::Error.
manifest::Component entry_of(Subject& subject, const value::Value& options);

}  // namespace broch::check
