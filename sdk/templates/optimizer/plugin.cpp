// @FILE@.cpp: the optimizer Lion (Chen et al. 2023): each step follows the sign of an average of
// the gradients, so that, without weight decay, all its elements have the same size.
#include <broch/broch.hpp>

namespace {

struct Options {
  double learning_rate, beta1, beta2, weight_decay;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate, "Length of a step.")
          .minimum(0)
          .by_default(0.0001),
      broch::option("beta1", &Options::beta1, "Share of the mean in the direction.")
          .by_default(0.9),
      broch::option("beta2", &Options::beta2, "Decay of the mean.").by_default(0.99),
      broch::option("weight_decay", &Options::weight_decay,
                    "Share of the weight that is taken off.")
          .by_default(0));
};

class @CLASS@ final : public broch::Optimizer {
 public:
  @CLASS@(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"beta1", options_.beta1},
             {"beta2", options_.beta2},
             {"weight_decay", options_.weight_decay}},
            {{"mean", 0}}};
  }

  // The host calls this to record the computation and replays the recording in each step. So use
  // operators only, and keep no state in members.
  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params, const broch::Tensor&) override {
    broch::Ops& o = ops();
    for (broch::Parameter& one : parameters) {
      const broch::Tensor mean = one.slots[0];
      const broch::Tensor along = o.sign(o.lerp(one.gradient, mean, hyper_params[1]));
      const broch::Tensor step = o.add(along, o.mul(one.value, hyper_params[3]));
      one.value = o.sub(one.value, o.mul(step, hyper_params[0]));
      one.slots[0] = o.lerp(one.gradient, mean, hyper_params[2]);
    }
  }

 private:
  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(@CLASS@, "@ID@", "0.1.0", "Lion: steps along the sign of a mean of gradients.",
                Options::schema)
