// lamb.cpp: Adam whose step is as long as the weights of a variable are large, for large batches.
// Source: You et al. 2020, "Large Batch Optimization for Deep Learning",
// https://arxiv.org/abs/1904.00962, algorithm 2, with the identity as scaling function.
#include "adam_means.hpp"

namespace {

struct Options {
  double learning_rate, beta1, beta2, epsilon, weight_decay;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate,
                    "Length of a step, as part of the length of the weights.")
          .minimum(0)
          .by_default(1e-3),
      broch::option("beta1", &Options::beta1, "How slowly the mean follows the gradient.")
          .minimum(0)
          .below(1)
          .by_default(0.9),
      broch::option("beta2", &Options::beta2,
                    "How slowly the mean of squares follows the square of the gradient.")
          .minimum(0)
          .below(1)
          .by_default(0.999),
      broch::option("epsilon", &Options::epsilon, "Added to the root of the mean of squares.")
          .minimum(0)
          .by_default(1e-6),
      broch::option("weight_decay", &Options::weight_decay,
                    "So many times the weights are added to the direction of a step.")
          .minimum(0)
          .by_default(0.01));
};

class Lamb final : public broch::Optimizer {
 public:
  Lamb(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"beta1", options_.beta1},
             {"beta2", options_.beta2},
             {"epsilon", options_.epsilon},
             {"weight_decay", options_.weight_decay}},
            {{"mean", 0}, {"mean_of_squares", 0}}};
  }

  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params,
              const broch::Tensor& number) override {
    const broch::Tensor rate = hyper_params[0], beta1 = hyper_params[1], beta2 = hyper_params[2],
                        epsilon = hyper_params[3], decay = hyper_params[4];
    const broch::Scalar one(1);
    const broch::Tensor unbiased1 = one - ops().pow(beta1, number),
                        unbiased2 = one - ops().pow(beta2, number);
    for (broch::Parameter& parameter : parameters) {
      const broch::Tensor g = parameter.gradient, value = parameter.value;
      const auto [mean, squares] = optimizers::follow(parameter, g, beta1, beta2);
      const broch::Tensor direction =
          (mean / unbiased1) / (ops().sqrt(squares / unbiased2) + epsilon) + value * decay;
      parameter.value = value - direction * (trust(value, direction) * rate);
    }
  }

 private:
  // The length of the weights over that of the direction; 1 if one of them is 0.
  broch::Tensor trust(const broch::Tensor& value, const broch::Tensor& direction) {
    const broch::Tensor weights = length(value), step = length(direction);
    const broch::Tensor both = ops().gt(weights * step, broch::Scalar(0));
    return ops().where(both, weights / step, ops().ones_like(step));
  }
  broch::Tensor length(const broch::Tensor& x) { return ops().sqrt(ops().sum(ops().square(x))); }

  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(Lamb, "broch.optimizer.lamb", "1.0.0",
                "Adam with steps as long as the weights of each variable are large.",
                Options::schema)
