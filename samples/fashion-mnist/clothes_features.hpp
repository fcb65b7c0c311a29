// clothes_features.hpp: the convolutions of convnet.cpp. Another sample compares images by what
// they yield.
#pragma once
#include <broch/layers.hpp>

namespace fashion {

// training: as in broch::BatchNormOptions.
inline broch::Tensor block(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                           int64_t channels, std::optional<bool> training) {
  const auto scope = t.scope(name);
  broch::Conv2dOptions conv;
  conv.channels = channels;
  conv.use_bias = false;
  broch::BatchNormOptions norm;
  norm.activation = broch::relu;
  norm.training = training;
  return broch::batch_norm(t, "bn", broch::conv2d(t, "conv", x, conv), norm);
}

// image: (N, 1, 28, 28), normalized. width: channels of the first layer. Returns (N, 4 * width).
inline broch::Tensor clothes_features(broch::Tower& t, const broch::Tensor& image, int64_t width,
                                      std::optional<bool> training = std::nullopt) {
  broch::Tensor x = block(t, "block1", image, width, training);
  x = broch::max_pool2d(t, "pool1", x);  // 14x14
  x = block(t, "block2", x, 2 * width, training);
  x = block(t, "block3", x, 2 * width, training);
  x = broch::max_pool2d(t, "pool2", x);  // 7x7
  x = block(t, "block4", x, 4 * width, training);
  x = block(t, "block5", x, 4 * width, training);
  return broch::global_avg_pool(t, "pool3", x);
}

}  // namespace fashion
