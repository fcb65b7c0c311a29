// lion.cpp: steps of one length, along the sign of a mean of gradients (Chen et al. 2023, Lion).
#include <broch/broch.hpp>

class Lion final : public broch::Optimizer {
 public:
  explicit Lion(const broch::Host& host) : Optimizer(host) {
    const broch::Config config(host);
    rate_ = config.number("/learning_rate");
    beta1_ = config.number("/beta1");
    beta2_ = config.number("/beta2");
  }

  Spec spec() override { return {{{"learning_rate", rate_}}, {{"momentum", 0}}}; }

  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params, const broch::Tensor&) override {
    for (broch::Parameter& one : parameters) {
      const broch::Tensor step = ops().sign(mix(one.slots[0], one.gradient, beta1_));
      one.value = ops().sub(one.value, ops().mul(step, hyper_params[0]));
      one.slots[0] = mix(one.slots[0], one.gradient, beta2_);
    }
  }

 private:
  broch::Tensor mix(const broch::Tensor& mean, const broch::Tensor& gradient, double beta) {
    return ops().lerp(gradient, mean, beta);
  }
  double rate_ = 0, beta1_ = 0, beta2_ = 0;
};

BROCH_OPTIMIZER(Lion, "net.outsider.lion", "1.0.0", "Steps of one length, by sign.", R"({
  "type": "object",
  "properties": {
    "learning_rate": {"type": "number", "exclusiveMinimum": 0, "default": 1e-3},
    "beta1": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.9},
    "beta2": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.99}
  },
  "additionalProperties": false})")
