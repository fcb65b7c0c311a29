// digit_gan.hpp: the networks of a GAN of 8x8 digits. Source: Radford, Metz and Chintala,
// Unsupervised representation learning with deep convolutional generative adversarial networks,
// 2015.
#pragma once
#include <broch/layers.hpp>

namespace examples {

constexpr int64_t kSide = 8, kClasses = 10, kWidth = 16;

// N images (N, 1, kSide, kSide) and their classes (N).
inline std::vector<broch::Input> digits() {
  return {{"image", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}},
          {"label", BROCH_INT64, {-1}, {"B"}}};
}

// (N) classes as (N, kClasses): 1 for the class, 0 elsewhere.
inline broch::Tensor one_hot(broch::Ops& ops, const broch::Tensor& classes) {
  const broch::Tensor all = ops.arange(broch::Scalar(kClasses), BROCH_INT64);
  return ops.to_dtype(ops.eq(ops.unsqueeze(classes, 1), all), BROCH_FLOAT32);
}

// code: (N, any). Returns images (N, 1, kSide, kSide) with values from -1 to 1.
inline broch::Tensor generated(broch::Tower& t, const broch::Tensor& code) {
  const auto scope = t.scope("gen");
  broch::Ops& ops = t.ops();
  broch::FullyConnectedOptions first;
  first.units = 4 * kWidth * 4;
  first.use_bias = false;
  broch::Tensor x = ops.view(broch::fully_connected(t, "fc", code, first), {-1, 4 * kWidth, 2, 2});
  x = ops.relu(broch::batch_norm(t, "bn0", x));
  broch::Conv2dTransposeOptions up;
  up.channels = 2 * kWidth;
  up.kernel = 4;
  up.use_bias = false;
  x = ops.relu(broch::batch_norm(t, "bn1", broch::conv2d_transpose(t, "up1", x, up)));
  up.channels = 1;
  return ops.tanh(broch::conv2d_transpose(t, "up2", x, up));
}

// What a discriminator sees in images (N, any, kSide, kSide): (N, 4 * kWidth * 4).
inline broch::Tensor features(broch::Tower& t, const broch::Tensor& image) {
  broch::Conv2dOptions halve;
  halve.channels = 2 * kWidth;
  halve.kernel = 4;
  halve.stride = 2;
  halve.padding = 1;
  halve.activation = [](const broch::Tensor& x) { return broch::leaky_relu(x, 0.2); };
  const broch::Tensor x = broch::conv2d(t, "conv1", image, halve);
  halve.channels = 4 * kWidth;
  return t.ops().flatten(broch::conv2d(t, "conv2", x, halve), 1);
}

// A linear map to so many numbers.
inline broch::Tensor numbers(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                             int64_t count) {
  broch::FullyConnectedOptions layer;
  layer.units = count;
  return broch::fully_connected(t, name, x, layer);
}

}  // namespace examples
