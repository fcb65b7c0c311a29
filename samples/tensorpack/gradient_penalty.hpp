// gradient_penalty.hpp: the penalty of WGAN-GP. Source: Gulrajani et al., Improved training of
// Wasserstein GANs, 2017.
#pragma once
#include <broch/layers.hpp>

namespace examples {

// The mean of (norm - 1)^2 over the gradients of score at a random place between each real and a
// drawn image, both (N, C, H, W). score(images) gives a number for each of them.
template <class Score>
broch::Tensor gradient_penalty(broch::Tower& t, const broch::Autograd& autograd,
                               const broch::Tensor& real, const broch::Tensor& drawn,
                               const Score& score) {
  using broch::Scalar;
  using broch::Tensor;
  broch::Ops& ops = t.ops();
  const Tensor part = ops.rand({t.size(real, 0), 1, 1, 1});
  const Tensor between = autograd.track(real + (ops.detach(drawn) - real) * part);
  broch::Autograd::GradOptions how;
  how.create_graph = true;
  const Tensor gradient = autograd.grad({ops.sum(score(between))}, {between}, how)[0];
  const Tensor norm = ops.sqrt(ops.sum_dim(ops.square(gradient), {1, 2, 3}) + Scalar(1e-12));
  t.moving_summary("gradient_norm", ops.mean(norm));
  return ops.mean(ops.square(norm - Scalar(1)));
}

}  // namespace examples
