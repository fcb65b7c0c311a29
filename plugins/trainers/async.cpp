// async.cpp: each tower applies its own gradients to the shared variables. tensorpack:
// `AsyncMultiGPUTrainer`.
//
// A step still waits for all towers, as in tensorpack: they compute with the variables from before
// the step, and their gradients are applied one tower after the other, n updates per step.
// From four towers on, the variables are on the CPU.
#include "data_parallel.hpp"

namespace {

constexpr size_t kOnCpu = 4;  // number of towers

struct Options : broch::trainers::TowersOptions {
  bool scale_gradient;

  static constexpr auto schema =
      broch::options(TowersOptions::schema,
                     broch::option("scale_gradient", &Options::scale_gradient,
                                   "Multiply each tower's gradients by 1 / number of towers.")
                         .by_default(true));
};

class Async final : public broch::Trainer {
 public:
  Async(const broch::Host& host, const Options& options)
      : host_(host), devices_(options.devices), scale_gradient_(options.scale_gradient) {}

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    const double scale = scale_gradient_ ? 1 / double(devices_.size()) : 1;
    broch::Plan::Nodes lists;
    for (const broch_node tower :
         broch::trainers::add_towers(plan, devices_, false, variable_devices()))
      lists.push_back(plan.sum({plan.gradients(tower)}, scale));
    for (const broch_node list : lists) plan.apply(plan.process(list));
    plan.seal();
  }

 private:
  std::vector<std::string> variable_devices() const {
    return devices_.size() < kOnCpu ? devices_ : std::vector<std::string>{"cpu:0"};
  }

  broch::Host host_;
  std::vector<std::string> devices_;
  bool scale_gradient_;
};

}  // namespace

BROCH_TRAINER(Async, "broch.trainer.async", "1.0.0",
              "Each tower applies its own gradients to the shared variables.", Options::schema,
              broch::needs("model", "input"))
