// turns_callback.hpp: makes a training take turns with other contenders.
#pragma once
#include <broch/broch.hpp>

#include "turns.hpp"

namespace broch::bench {

class TurnsCallback final : public broch::Callback {
 public:
  explicit TurnsCallback(const broch::Host& host) : run_(host) {}

  void setup_graph() override { cost_ = run_.fetch("cost"); }
  void before_train() override { go_on(turns_.ready()); }
  uint64_t before_run(broch_run, uint64_t fetches) override {
    return turns_.is_last() ? fetches : 0;
  }
  void after_run(broch_run handle) override {
    if (const auto cost = run_.scalar(handle, cost_)) turns_.set_cost(*cost);
  }
  void trigger_step() override { go_on(turns_.step_done()); }

 private:
  static void go_on(bool asked) {
    if (!asked) throw broch::StopTraining("the other side said quit");
  }

  broch::Run run_;
  Turns turns_;
  uint32_t cost_ = 0;
};

}  // namespace broch::bench
