// layers.hpp: layers with the names and the initial values that torch.nn gives them.
#pragma once
#include <broch/layers.hpp>
#include <cmath>
#include <string>

namespace broch::zoo {

// What PyTorch gives to weight and bias of a linear map or a convolution, fan_in: the number of
// inputs of each output.
inline Init torch_default(int64_t fan_in) {
  const double limit = 1 / std::sqrt(double(fan_in));
  return Init::uniform(-limit, limit);
}

struct LinearInits {
  Init weight, bias;
};

// A linear map along the last dimension. x: (…, D). Returns (…, units).
inline Tensor linear(Tower& t, const std::string& name, const Tensor& x, int64_t units,
                     const LinearInits& inits) {
  FullyConnectedOptions map;
  map.units = units;
  map.weight = inits.weight;
  map.bias = inits.bias;
  map.names = Names::torch;
  return broch::linear(t, name, x, map);
}
inline Tensor linear(Tower& t, const std::string& name, const Tensor& x, int64_t units) {
  const Init init = torch_default(t.size(x, -1));
  return zoo::linear(t, name, x, units, {init, init});
}

// A convolution. x: (N, C, H, W). Returns (N, channels, …).
inline Tensor conv2d(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                     int64_t kernel, int64_t padding = 0) {
  Conv2dOptions conv;
  conv.channels = channels;
  conv.kernel = kernel;
  conv.padding = padding;
  conv.weight = conv.bias = torch_default(t.size(x, 1) * kernel * kernel);
  conv.names = Names::torch;
  return broch::conv2d(t, name, x, conv);
}

// A transposed convolution whose windows do not overlap: each pixel becomes factor * factor of
// them. x: (N, C, H, W). Returns (N, channels, H * factor, W * factor).
inline Tensor upsampling(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                         int64_t factor) {
  Conv2dTransposeOptions conv;
  conv.channels = channels;
  conv.kernel = conv.stride = factor;
  conv.padding = 0;
  conv.weight = conv.bias =
      torch_default(channels * factor * factor);  // PyTorch counts the outputs here
  conv.names = Names::torch;
  return broch::conv2d_transpose(t, name, x, conv);
}

// x (N, T, D) by head: (N, heads, T, D / heads). heads: a divisor of D.
inline Tensor by_head(Tower& t, const Tensor& x, int64_t heads) {
  Ops& ops = t.ops();
  const std::vector<int64_t> shape = t.shape(x);
  return ops.transpose(ops.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), 1, 2);
}

// (N, heads, T, E) as (N, T, heads * E).
inline Tensor heads_joined(Tower& t, const Tensor& x) {
  const std::vector<int64_t> shape = t.shape(x);
  return t.ops().reshape(t.ops().transpose(x, 1, 2), {shape[0], shape[2], shape[1] * shape[3]});
}

}  // namespace broch::zoo
