// async.cpp: each tower applies its own gradients to the shared variables. tensorpack:
// `AsyncMultiGPUTrainer`.
//
// A step still waits for all towers, as in tensorpack: they compute with the variables from before
// the step, and their gradients are applied one tower after the other, n updates per step.
#include "data_parallel.hpp"

namespace {

class Async final : public broch::Trainer {
 public:
  explicit Async(const broch::Host& host)
      : host_(host),
        devices_(broch::Config(host).strings("/devices")),
        scale_gradient_(broch::Config(host).boolean("/scale_gradient")) {}

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    const double scale = scale_gradient_ ? 1 / double(devices_.size()) : 1;
    broch::Plan::Nodes lists;
    for (const broch_node tower : broch::trainers::add_towers(plan, devices_))
      lists.push_back(plan.sum({plan.gradients(tower)}, scale));
    for (const broch_node list : lists) plan.apply(plan.process(list));
    plan.seal();
  }

 private:
  broch::Host host_;
  std::vector<std::string> devices_;
  bool scale_gradient_;
};

}  // namespace

// clang-format off
#define OPTIONS \
  R"({"type": "object", "properties": {)" BROCH_TOWERS_SCHEMA R"(,)" \
  R"("scale_gradient": {"type": "boolean", "default": true,)" \
  R"( "description": "Multiply each tower's gradients by 1 / number of towers."})" \
  R"(}, "additionalProperties": false})"

BROCH_COMPONENT_MORE(Async, "broch.trainer.async", "trainer", "1.0.0",
               "Each tower applies its own gradients to the shared variables.", R"("needs": ["model", "input"])", OPTIONS)
// clang-format on
