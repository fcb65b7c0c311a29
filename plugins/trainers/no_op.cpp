// no_op.cpp: builds the graph, then does empty hooked runs: callbacks are called and global_step
// advances, but nothing is trained. tensorpack: `NoOpTrainer`.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::string device;

  static constexpr auto schema =
      broch::options(broch::option("device", &Options::device, "cpu:N, cuda:N or auto:N.")
                         .pattern("^(cpu|cuda|auto)(:[0-9]{1,4})?$")
                         .by_default("cpu:0"));
};

class NoOp final : public broch::SteppingTrainer {
 public:
  NoOp(const broch::Host& host, const Options& options) : host_(host), device_(options.device) {}

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
    Options::schema)
