// adamax.cpp: Adam that divides by a decaying maximum of gradients, as torch.optim.Adamax.
// Source: Kingma & Ba 2015, "Adam: A Method for Stochastic Optimization",
// https://arxiv.org/abs/1412.6980, algorithm 2, with L2 decay.
#include <broch/broch.hpp>

namespace {

struct Options {
  double learning_rate, beta1, beta2, eps, weight_decay;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate, "Largest step, nearly.")
          .minimum(0)
          .by_default(2e-3),
      broch::option("beta1", &Options::beta1, "Decay of the mean of gradients.")
          .minimum(0)
          .below(1)
          .by_default(0.9),
      broch::option("beta2", &Options::beta2, "Decay of the largest gradient.")
          .minimum(0)
          .below(1)
          .by_default(0.999),
      broch::option("eps", &Options::eps, "Added to the size of each gradient.")
          .above(0)
          .by_default(1e-8),
      broch::option("weight_decay", &Options::weight_decay,
                    "So many times the weights are added to the gradient.")
          .minimum(0)
          .by_default(0));
};

class Adamax final : public broch::Optimizer {
 public:
  Adamax(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"beta1", options_.beta1},
             {"beta2", options_.beta2},
             {"eps", options_.eps},
             {"weight_decay", options_.weight_decay}},
            {{"exp_avg", 0}, {"exp_inf", 0}}};
  }

  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params,
              const broch::Tensor& number) override {
    const broch::Tensor beta1 = hyper_params[1], beta2 = hyper_params[2], eps = hyper_params[3],
                        decay = hyper_params[4];
    const broch::Scalar one(1);
    const broch::Tensor rate = hyper_params[0] / (one - ops().pow(beta1, number));
    for (broch::Parameter& parameter : parameters) {
      const broch::Tensor gradient = parameter.gradient + parameter.value * decay;
      const broch::Tensor mean = parameter.slots[0] * beta1 + gradient * (one - beta1);
      const broch::Tensor largest =
          ops().maximum(parameter.slots[1] * beta2, ops().abs(gradient) + eps);
      parameter.value = parameter.value - mean / largest * rate;
      parameter.slots[0] = mean;
      parameter.slots[1] = largest;
    }
  }

 private:
  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(Adamax, "broch.optimizer.adamax", "1.0.0",
                "Adam with a decaying maximum of gradients, as torch.optim.Adamax.",
                Options::schema)
