// adadelta.cpp: steps in the units of the weights, as torch.optim.Adadelta. Source: Zeiler 2012,
// "ADADELTA: An Adaptive Learning Rate Method", https://arxiv.org/abs/1212.5701, algorithm 1, with
// a learning rate and L2 decay.
#include <broch/broch.hpp>

namespace {

struct Options {
  double learning_rate, rho, eps, weight_decay;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate,
                    "Factor of each step; 1 in the paper, 0.001 in TensorFlow and Keras.")
          .minimum(0)
          .by_default(1),
      broch::option("rho", &Options::rho,
                    "Decay of the means of squared gradients and of squared steps.")
          .minimum(0)
          .below(1)
          .by_default(0.9),
      broch::option("eps", &Options::eps, "Added to both means, inside of the roots.")
          .above(0)
          .by_default(1e-6),
      broch::option("weight_decay", &Options::weight_decay,
                    "So many times the weights are added to the gradient.")
          .minimum(0)
          .by_default(0));
};

class Adadelta final : public broch::Optimizer {
 public:
  Adadelta(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"rho", options_.rho},
             {"eps", options_.eps},
             {"weight_decay", options_.weight_decay}},
            {{"square_avg", 0}, {"acc_delta", 0}}};
  }

  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params, const broch::Tensor&) override {
    const broch::Tensor rate = hyper_params[0], rho = hyper_params[1], eps = hyper_params[2],
                        decay = hyper_params[3];
    const broch::Tensor rest = broch::Scalar(1) - rho;
    for (broch::Parameter& parameter : parameters) {
      const broch::Tensor gradient = parameter.gradient + parameter.value * decay;
      const broch::Tensor squares = parameter.slots[0] * rho + ops().square(gradient) * rest;
      const broch::Tensor moved = parameter.slots[1];
      const broch::Tensor step = gradient * ops().sqrt(moved + eps) / ops().sqrt(squares + eps);
      parameter.value = parameter.value - step * rate;
      parameter.slots[0] = squares;
      parameter.slots[1] = moved * rho + ops().square(step) * rest;
    }
  }

 private:
  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(Adadelta, "broch.optimizer.adadelta", "1.0.0",
                "Adadelta (Zeiler 2012), as torch.optim.Adadelta.", Options::schema)
