// @FILE@.cpp: the optimizer Lion (Chen et al. 2023): each step follows the sign of an average of
// the gradients, so that, without weight decay, all its elements have the same size.
#include <broch/broch.hpp>

namespace {

class @CLASS@ final : public broch::Optimizer {
 public:
  explicit @CLASS@(const broch::Host& host) : Optimizer(host) {
    const broch::Config config(host);
    for (const char* name : {"learning_rate", "beta1", "beta2", "weight_decay"})
      outline_.hypers.emplace_back(name, config.number(std::string("/") + name));
    outline_.slots.emplace_back("mean", 0);
  }

  Outline outline() override { return outline_; }

  // The host calls this to record the computation and replays the recording in each step. So use
  // operators only, and keep no state in members.
  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hypers, const broch::Tensor&) override {
    broch::Ops& o = ops();
    for (broch::Parameter& one : parameters) {
      const broch::Tensor mean = one.slots[0];
      const broch::Tensor along = o.sign(o.lerp(one.gradient, mean, hypers[1]));
      const broch::Tensor step = o.add(along, o.mul(one.value, hypers[3]));
      one.value = o.sub(one.value, o.mul(step, hypers[0]));
      one.slots[0] = o.lerp(one.gradient, mean, hypers[2]);
    }
  }

 private:
  Outline outline_;
};

}  // namespace

BROCH_OPTIMIZER(@CLASS@, "@ID@", "0.1.0", "Lion: steps along the sign of a mean of gradients.", R"({
  "type": "object",
  "properties": {
    "learning_rate": {"type": "number", "minimum": 0, "default": 0.0001, "description": "Length of a step."},
    "beta1": {"type": "number", "default": 0.9, "description": "Share of the mean in the direction."},
    "beta2": {"type": "number", "default": 0.99, "description": "Decay of the mean."},
    "weight_decay": {"type": "number", "default": 0, "description": "Share of the weight that is taken off."}
  },
  "additionalProperties": false
})")
