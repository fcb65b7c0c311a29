// conv_weights.hpp: the gradients of the weights and the bias of a convolution.
#pragma once
#include "kernels/conv.hpp"
#include "lower.hpp"

namespace broch::passes {

struct WeightsGradient {
  kernels::ConvShape shape;
  int read, output_gradient;  // images
  int d_weights, d_bias;      // results; d_bias may be kNoView
};

// Adds to `node` the memory that it needs, and returns the kernel.
std::function<Kernel(const Binder&)> weights_gradient(Program& program, Node& node,
                                                      const WeightsGradient& of);

}  // namespace broch::passes
