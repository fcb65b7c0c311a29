// lion.cpp: moves every weight by the sign of a mix of its gradient and a mean of its gradients.
// Source: Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms",
// https://arxiv.org/abs/2302.06675, algorithm 2.
#include <broch/broch.hpp>

namespace {

struct Options {
  double learning_rate, beta1, beta2, weight_decay;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate,
                    "Length of a step; a third to a tenth of what suits adamw.")
          .minimum(0)
          .by_default(1e-4),
      broch::option("beta1", &Options::beta1, "Weight of the mean in the direction of the step.")
          .minimum(0)
          .below(1)
          .by_default(0.9),
      broch::option("beta2", &Options::beta2, "How slowly the mean follows the gradient.")
          .minimum(0)
          .below(1)
          .by_default(0.99),
      broch::option("weight_decay", &Options::weight_decay,
                    "Each step also multiplies weights by 1 - learning_rate * weight_decay.")
          .minimum(0)
          .by_default(0));
};

class Lion final : public broch::Optimizer {
 public:
  Lion(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"beta1", options_.beta1},
             {"beta2", options_.beta2},
             {"weight_decay", options_.weight_decay}},
            {{"mean", 0}}};
  }

  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params, const broch::Tensor&) override {
    const broch::Tensor rate = hyper_params[0], beta1 = hyper_params[1], beta2 = hyper_params[2],
                        decay = hyper_params[3];
    const broch::Scalar one(1);
    for (broch::Parameter& parameter : parameters) {
      const broch::Tensor mean = parameter.slots[0], gradient = parameter.gradient;
      const broch::Tensor direction = ops().sign(mean * beta1 + gradient * (one - beta1));
      parameter.value = parameter.value - (direction + parameter.value * decay) * rate;
      parameter.slots[0] = mean * beta2 + gradient * (one - beta2);
    }
  }

 private:
  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(Lion, "broch.optimizer.lion", "1.0.0",
                "Moves by the sign of a mix of the gradient and its mean.", Options::schema)
