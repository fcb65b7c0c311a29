// adam_means.hpp: what rules that descend from Adam have in common.
#pragma once
#include <broch/broch.hpp>

namespace optimizers {

// Adam's means of gradients and of their squares, which are the slots 0 and 1, after this update.
struct AdamMeans {
  broch::Tensor mean, squares;
};

inline AdamMeans follow(broch::Parameter& parameter, const broch::Tensor& gradient,
                        const broch::Tensor& beta1, const broch::Tensor& beta2) {
  const broch::Scalar one(1);
  const broch::Tensor mean = parameter.slots[0] * beta1 + gradient * (one - beta1);
  const broch::Tensor squares =
      parameter.slots[1] * beta2 + gradient.ops().square(gradient) * (one - beta2);
  parameter.slots[0] = mean;
  parameter.slots[1] = squares;
  return {mean, squares};
}

inline constexpr const char* kDecoupledWeightDecay =
    "Each update multiplies the weights by 1 - learning_rate * weight_decay, as in adamw; "
    "otherwise "
    "the decay is added to the gradient.";

// The weights before the step, and the gradient; one of them has the decay.
struct Decayed {
  broch::Tensor value, gradient;
};

inline Decayed decayed(const broch::Parameter& parameter, const broch::Tensor& rate,
                       const broch::Tensor& decay, bool decoupled) {
  const broch::Tensor value = parameter.value, gradient = parameter.gradient;
  if (decoupled) return {value * (broch::Scalar(1) - rate * decay), gradient};
  return {value, gradient + value * decay};
}

}  // namespace optimizers
