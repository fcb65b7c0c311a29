// centralize_gradient.cpp: subtracts from the gradient of each output of a layer its mean. Source:
// Yong et al. 2020, "Gradient Centralization", https://arxiv.org/abs/2004.01461.
#include <broch/broch.hpp>

namespace {

class CentralizeGradient final : public broch::GradientProcessor {
 public:
  using GradientProcessor::GradientProcessor;

  // The first dimension counts the outputs, or the inputs of a transposed convolution. Biases and
  // the like have no other one and stay.
  void process(broch::Tower& scope, std::vector<broch::Gradient>& gradients) override {
    for (broch::Gradient& one : gradients) {
      const auto rank = int64_t(scope.shape(one.gradient).size());
      if (rank < 2) continue;
      std::vector<int64_t> inputs;
      for (int64_t i = 1; i < rank; ++i) inputs.push_back(i);
      one.gradient = one.gradient - ops().mean_dim(one.gradient, inputs, true);
    }
  }
};

}  // namespace

BROCH_GRADIENT_PROCESSOR(CentralizeGradient, "broch.gradient_processor.centralize-gradient",
                         "1.0.0", "Gives the gradient of each output of a layer the mean 0.")
