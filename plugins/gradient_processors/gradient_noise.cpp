// gradient_noise.cpp: adds noise to gradients, less from step to step. Source: Neelakantan et al.
// 2015, "Adding Gradient Noise Improves Learning for Very Deep Networks",
// https://arxiv.org/abs/1511.06807.
#include <broch/broch.hpp>

namespace {

struct Options {
  double eta, gamma;

  static constexpr auto schema =
      broch::options(broch::option("eta", &Options::eta, "Variance of the noise in the first step.")
                         .above(0)
                         .by_default(0.01),
                     broch::option("gamma", &Options::gamma,
                                   "The variance of step t, from 0, is eta / (1+t)^gamma.")
                         .minimum(0)
                         .by_default(0.55));
};

class GradientNoise final : public broch::GradientProcessor {
 public:
  GradientNoise(const broch::Host& host, const Options& options)
      : GradientProcessor(host), options_(options) {}

  void process(broch::Tower& scope, std::vector<broch::Gradient>& gradients) override {
    const broch::Variable steps =
        scope.variable("gradient_noise/steps", {}, broch::Init::constant(0), BROCH_VARIABLE_LOCAL);
    const broch::Tensor now = steps.value + broch::Scalar(1);
    scope.update(steps.handle, now);
    const broch::Tensor variance =
        ops().pow(now, broch::Scalar(-options_.gamma)) * broch::Scalar(options_.eta);
    const broch::Tensor deviation = ops().sqrt(variance);
    for (broch::Gradient& one : gradients)
      one.gradient = one.gradient + ops().normal_like(one.gradient) * deviation;
  }

 private:
  Options options_;
};

}  // namespace

BROCH_GRADIENT_PROCESSOR(GradientNoise, "broch.gradient_processor.gradient-noise", "1.0.0",
                         "Adds normal noise to gradients, less from step to step.", Options::schema)
