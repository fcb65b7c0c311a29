// simple.cpp: one tower, one cost, one update a step. Seed term: SimpleTrainer (M24, M36).
#include <broch/broch.hpp>

namespace {

class Simple final : public broch::Trainer {
 public:
  explicit Simple(const broch::Host& host)
      : host_(host), plans_(host.require<broch_plan_ext>(BROCH_EXT_PLAN)) {
    const std::vector<std::string> devices = broch::Config(host).strings("/devices");
    if (devices.size() != 1)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "the simple trainer has exactly one tower, devices lists " +
                             std::to_string(devices.size()) + "; use a multi-tower trainer");
    device_ = devices[0];
  }

  void setup_graph() override {
    broch_plan plan = 0;
    host_.check(plans_->create(host_.c(), "train", &plan));
    const broch_node input = add(plan, "broch.plan.input/1", {}, R"({"towers": [0]})");
    const broch_node tower = add(plan, "broch.plan.tower/1", {input},
                                 R"({"name": "", "mode": "train", "device": ")" + device_ + "\"}");
    const broch_node gradients = add(plan, "broch.plan.gradients/1", {tower}, "{}");
    const broch_node processed = add(plan, "broch.plan.process/1", {gradients}, "{}");
    add(plan, "broch.plan.apply/1", {processed}, "{}");
    host_.check(plans_->seal(host_.c(), plan));
  }

 private:
  broch_node add(broch_plan plan, const char* kind, const std::vector<broch_node>& inputs,
                 const std::string& options) {
    broch_node node = 0;
    host_.check(plans_->add(host_.c(), plan, kind, inputs.data(), uint32_t(inputs.size()),
                            options.c_str(), &node));
    return node;
  }

  broch::Host host_;
  const broch_plan_ext* plans_;
  std::string device_;
};

}  // namespace

BROCH_TRAINER(Simple, "broch.trainer.simple", "1.0.0", "One tower, one cost, one update a step.",
              R"({
  "type": "object",
  "properties": {
    "devices": {"type": "array", "items": {"type": "string", "pattern": "^(cpu|cuda)(:[0-9]{1,4})?$"},
                "default": ["cpu:0"],
                "description": "The one device of the tower: cpu:N or cuda:N."}
  },
  "additionalProperties": false
})")
