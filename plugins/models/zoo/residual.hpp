// residual.hpp: what residual networks have in common.
#pragma once
#include <broch/layers.hpp>
#include <cmath>
#include <string>

namespace broch::zoo {

// A square convolution without bias that keeps the size at stride 1. Its initial values are those
// of He et al. 2015, by the number of outputs.
inline Tensor residual_conv(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                            int64_t kernel, int64_t stride = 1, int64_t groups = 1) {
  Conv2dOptions conv;
  conv.channels = channels;
  conv.kernel = kernel;
  conv.stride = stride;
  conv.groups = groups;
  conv.use_bias = false;
  conv.weight = Init::normal(0, std::sqrt(2 / double(channels * kernel * kernel)));
  conv.names = Names::torch;
  return broch::conv2d(t, name, x, conv);
}

// scale: the first value of all scales.
inline Tensor batch_norm_of(Tower& t, const std::string& name, const Tensor& x,
                            const Activation& activation = nullptr, double scale = 1) {
  BatchNormOptions norm;
  norm.activation = activation;
  norm.scale = Init::constant(scale);
  norm.names = Names::torch;
  return broch::batch_norm(t, name, x, norm);
}

}  // namespace broch::zoo
