// radam.cpp: Adam whose first steps are smaller while the mean of squares is uncertain, as
// torch.optim.RAdam. Source: Liu et al. 2020, "On the Variance of the Adaptive Learning Rate and
// Beyond", https://arxiv.org/abs/1908.03265, algorithm 2, with weight decay.
#include "adam_means.hpp"

namespace {

struct Options {
  double learning_rate, beta1, beta2, eps, weight_decay;
  bool decoupled_weight_decay;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate, "Step size.")
          .minimum(0)
          .by_default(1e-3),
      broch::option("beta1", &Options::beta1, "Decay of the mean of gradients.")
          .minimum(0)
          .below(1)
          .by_default(0.9),
      broch::option("beta2", &Options::beta2,
                    "Decay of the mean of squared gradients; it gives the length of the warm-up.")
          .minimum(0)
          .below(1)
          .by_default(0.999),
      broch::option("eps", &Options::eps, "Added to the root of the mean of squares.")
          .minimum(0)
          .by_default(1e-8),
      broch::option("weight_decay", &Options::weight_decay, "L2 penalty.").minimum(0).by_default(0),
      broch::option("decoupled_weight_decay", &Options::decoupled_weight_decay,
                    optimizers::kDecoupledWeightDecay)
          .by_default(false));
};

class RAdam final : public broch::Optimizer {
 public:
  RAdam(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"beta1", options_.beta1},
             {"beta2", options_.beta2},
             {"eps", options_.eps},
             {"weight_decay", options_.weight_decay}},
            {{"exp_avg", 0}, {"exp_avg_sq", 0}}};
  }

  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params,
              const broch::Tensor& number) override {
    const broch::Tensor rate = hyper_params[0], beta1 = hyper_params[1], beta2 = hyper_params[2],
                        eps = hyper_params[3], decay = hyper_params[4];
    const broch::Scalar one(1);
    const broch::Tensor t = ops().to_dtype(number, BROCH_FLOAT64);
    const broch::Tensor unbiased1 = one - ops().pow(beta1, t);
    const broch::Tensor unbiased2 = one - ops().pow(beta2, t);
    const broch::Tensor degrees = degrees_of_freedom(beta2, t);
    const broch::Tensor is_certain = ops().gt(degrees, broch::Scalar(5));
    const broch::Tensor factor = rectification(beta2, degrees) * ops().sqrt(unbiased2);
    for (broch::Parameter& parameter : parameters) {
      const auto [value, gradient] =
          optimizers::decayed(parameter, rate, decay, options_.decoupled_weight_decay);
      const auto [mean, squares] = optimizers::follow(parameter, gradient, beta1, beta2);
      const broch::Tensor plain = mean / unbiased1;
      const broch::Tensor adaptive = plain * factor / (ops().sqrt(squares) + eps);
      parameter.value = value - ops().where(is_certain, adaptive, plain) * rate;
    }
  }

 private:
  // Of how many squares the mean consists, less 1, after infinitely many updates.
  broch::Tensor most_degrees(const broch::Tensor& beta2) {
    const broch::Scalar one(1), two(2);
    return ops().reciprocal(one - beta2) * two - one;
  }
  // The same after t updates. Up to 5, nothing can be said about the variance of the mean.
  broch::Tensor degrees_of_freedom(const broch::Tensor& beta2, const broch::Tensor& t) {
    const broch::Scalar one(1), two(2);
    const broch::Tensor forgotten = ops().pow(beta2, t);
    return most_degrees(beta2) - t * forgotten * two / (one - forgotten);
  }
  // The root of the least variance over that after this update.
  broch::Tensor rectification(const broch::Tensor& beta2, const broch::Tensor& degrees) {
    const broch::Scalar two(2), four(4);
    const broch::Tensor most = most_degrees(beta2);
    return ops().sqrt((degrees - four) * (degrees - two) * most /
                      ((most - four) * (most - two) * degrees));
  }

  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(
    RAdam, "broch.optimizer.radam", "1.0.0",
    "Adam with a warm-up from the variance of its mean of squares, as torch.optim.RAdam.",
    Options::schema)
