// @FILE@.cpp: a trainer whose step consists of several updates, each with a new data point.
#include <broch/broch.hpp>
#include <optional>

namespace {

struct Options {
  std::string device;
  int64_t updates;

  static constexpr auto schema = broch::options(
      broch::option("device", &Options::device, "Of the one tower.").by_default("cpu:0"),
      broch::option("updates", &Options::updates, "In each step.").minimum(1).by_default(2));
};

class @CLASS@ final : public broch::SteppingTrainer {
 public:
  @CLASS@(const broch::Host& host, const Options& options)
      : host_(host), device_(options.device), updates_(options.updates) {}

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

BROCH_TRAINER(@CLASS@, "@ID@", "0.1.0", "Several updates in each step.", Options::schema)
