// nadam.cpp: Adam with Nesterov's momentum, as torch.optim.NAdam. Source: Dozat 2016,
// "Incorporating Nesterov Momentum into Adam",
// https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ, with the schedule of momentum of its
// section 3.
#include <cmath>

#include "adam_means.hpp"

namespace {

struct Options {
  double learning_rate, beta1, beta2, eps, momentum_decay, weight_decay;
  bool decoupled_weight_decay;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate, "Step size.")
          .minimum(0)
          .by_default(2e-3),
      broch::option("beta1", &Options::beta1,
                    "Decay of the mean of gradients; the momentum rises to it.")
          .minimum(0)
          .below(1)
          .by_default(0.9),
      broch::option("beta2", &Options::beta2, "Decay of the mean of squared gradients.")
          .minimum(0)
          .below(1)
          .by_default(0.999),
      broch::option("eps", &Options::eps, "Added to the bias-corrected root.")
          .minimum(0)
          .by_default(1e-8),
      broch::option("momentum_decay", &Options::momentum_decay,
                    "The momentum of update t is beta1 * (1 - 0.5 * 0.96^(t * momentum_decay)).")
          .minimum(0)
          .by_default(4e-3),
      broch::option("weight_decay", &Options::weight_decay, "L2 penalty.").minimum(0).by_default(0),
      broch::option("decoupled_weight_decay", &Options::decoupled_weight_decay,
                    optimizers::kDecoupledWeightDecay)
          .by_default(false));
};

class NAdam final : public broch::Optimizer {
 public:
  NAdam(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"beta1", options_.beta1},
             {"beta2", options_.beta2},
             {"eps", options_.eps},
             {"momentum_decay", options_.momentum_decay},
             {"weight_decay", options_.weight_decay}},
            {{"exp_avg", 0}, {"exp_avg_sq", 0}, {"mu_product", 1}}};
  }

  // The product of all momenta so far is one number per variable.
  std::vector<int64_t> slot_shape(size_t slot, const std::vector<int64_t>& shape) override {
    return slot == kProduct ? std::vector<int64_t>() : shape;
  }

  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params,
              const broch::Tensor& number) override {
    const broch::Tensor rate = hyper_params[0], beta1 = hyper_params[1], beta2 = hyper_params[2],
                        eps = hyper_params[3], decay = hyper_params[5];
    const broch::Scalar one(1);
    const broch::Tensor t = ops().to_dtype(number, BROCH_FLOAT64);
    const broch::Tensor unbiased2 = one - ops().pow(beta2, t);
    const broch::Tensor now = momentum(hyper_params, t), next = momentum(hyper_params, t + one);
    for (broch::Parameter& parameter : parameters) {
      const auto [value, gradient] =
          optimizers::decayed(parameter, rate, decay, options_.decoupled_weight_decay);
      const auto [mean, squares] = optimizers::follow(parameter, gradient, beta1, beta2);
      const broch::Tensor product = parameter.slots[kProduct] * now;
      const broch::Tensor of_gradient = rate * (one - now) / (one - product);
      const broch::Tensor of_mean = rate * next / (one - product * next);
      const broch::Tensor root = ops().sqrt(squares / unbiased2) + eps;
      parameter.value = value - (gradient * of_gradient + mean * of_mean) / root;
      parameter.slots[kProduct] = product;
    }
  }

 private:
  static constexpr size_t kProduct = 2;  // behind Adam's means

  // That of update t: it rises from half of beta1 to beta1.
  broch::Tensor momentum(const std::vector<broch::Tensor>& hyper_params, const broch::Tensor& t) {
    const broch::Scalar log(std::log(0.96));
    const broch::Tensor missing = ops().exp(t * hyper_params[4] * log) * broch::Scalar(0.5);
    return hyper_params[1] * (broch::Scalar(1) - missing);
  }

  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(NAdam, "broch.optimizer.nadam", "1.0.0",
                "Adam with Nesterov's momentum, as torch.optim.NAdam.", Options::schema)
