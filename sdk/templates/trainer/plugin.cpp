// @FILE@.cpp: a trainer whose step consists of several updates, each with a new data point.
#include <broch/broch.hpp>
#include <optional>

namespace {

class @CLASS@ final : public broch::SteppingTrainer {
 public:
  explicit @CLASS@(const broch::Host& host)
      : host_(host), device_(broch::Config(host).string("/device")),
        updates_(broch::Config(host).integer("/updates")) {}

  void setup_graph() override {
    broch::Plan& plan = plan_.emplace(host_, "train");
    broch::Plan::TowerOptions of;
    of.device = device_;
    const broch_node tower = plan.tower({plan.input()}, of);
    plan.apply(plan.process(plan.gradients(tower)));
    plan.seal();
  }

  // Each run is hooked: callbacks are called, and global_step advances by one.
  broch_status run_step() override {
    for (int64_t i = 0; i < updates_; ++i)
      if (const broch_status status = plan_->run()) return status;
    return BROCH_OK;
  }

 private:
  broch::Host host_;
  std::optional<broch::Plan> plan_;
  std::string device_;
  int64_t updates_;
};

}  // namespace

BROCH_TRAINER(@CLASS@, "@ID@", "0.1.0", "Several updates in each step.", R"({
  "type": "object",
  "properties": {
    "device": {"type": "string", "default": "cpu:0", "description": "Of the one tower."},
    "updates": {"type": "integer", "minimum": 1, "default": 2, "description": "In each step."}
  },
  "additionalProperties": false
})")
