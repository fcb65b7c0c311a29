// no_op.cpp: builds the graph, then does empty hooked runs: callbacks are called and global_step
// advances, but nothing is trained. tensorpack: `NoOpTrainer`.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::vector<std::string> devices;

  static constexpr auto schema =
      broch::options(broch::option("devices", &Options::devices,
                                   "The device of the only tower: cpu:N, cuda:N or auto:N.")
                         .min_items(1)
                         .max_items(1)
                         .pattern("^(cpu|cuda|auto)(:[0-9]{1,4})?$")
                         .by_default("cpu:0"));
};

class NoOp final : public broch::SteppingTrainer {
 public:
  NoOp(const broch::Host& host, const Options& options)
      : host_(host), device_(options.devices.at(0)) {}

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    broch::Plan::TowerOptions of;
    of.device = device_;
    plan.tower({plan.input()}, of);
    plan.seal();
  }

  broch_status run_step() override { return broch::run_empty(host_); }

 private:
  broch::Host host_;
  std::string device_;
};

}  // namespace

BROCH_TRAINER(
    NoOp, "broch.trainer.no-op", "1.0.0",
    "Builds the graph and runs empty steps: callbacks are called, but nothing is trained.",
    Options::schema, broch::needs("model"))
