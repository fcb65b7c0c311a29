// convolution.hpp: convolutions in one, two and three dimensions, and the transposed one.
#pragma once
#include "layer.hpp"
#include "operator.hpp"

namespace broch {
inline namespace v0 {

template <size_t N>
struct ConvOptions {
  int64_t channels = 0;  // output channels
  Extent<N> kernel = 3;
  Extent<N> stride = 1;
  // -1: half of what the kernel spans, (dilation * (kernel - 1) + 1) / 2, which keeps the size for
  // an odd kernel at stride 1.
  Extent<N> padding = -1;
  Extent<N> dilation = 1;
  int64_t groups = 1;  // divides the channels of input and output; equal to both: depthwise
  bool use_bias = true;
  Init weight = Init::he_normal(), bias = Init::constant(0);  // first values
  Activation activation = nullptr;
  Names names = Names::tensorpack;
};
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

namespace glue {

constexpr const char* kImages[] = {"", "(N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)"};

// Checks the arguments of a convolution of x. Returns its channels C.
template <size_t N>
int64_t image_channels(const Checked& checked, const Tensor& x, int64_t channels,
                       const Extent<N>& kernel) {
  const int64_t inputs = checked.rank("x", x, N + 2, kImages[N])[1];
  checked.float32("x", x);
  checked.at_least("channels", channels, 1);
  checked.at_least("kernel", kernel, 1);
  return inputs;
}
inline void divided_by_groups(const Checked& checked, const Tensor& x, int64_t inputs,
                              int64_t channels, int64_t groups) {
  checked.at_least("groups", groups, 1);
  if (inputs % groups || channels % groups)
    checked.refuse(
        "groups is " + std::to_string(groups) + ", channels is " + std::to_string(channels) +
            " and " + checked.is("x", x),
        "groups that divide " + std::to_string(inputs) + " and " + std::to_string(channels));
}
template <size_t N>
Extent<N> padding_of(const ConvOptions<N>& o) {
  std::array<int64_t, N> all;
  for (size_t d = 0; d < N; ++d)
    all[d] = o.padding[d] < 0 ? (o.dilation[d] * (o.kernel[d] - 1) + 1) / 2 : o.padding[d];
  return all;
}

// opset 1 has no conv3d.
inline Tensor conv3d_operator(Tower& t, const Tensor& x, const WeightAndBias& w,
                              const Conv3dOptions& o, const Extent<3>& padding) {
  const Operator conv(t.ops(), t.host(),
                      "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, "
                      "SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] dilation=1, "
                      "SymInt groups=1) -> Tensor");
  const auto ints = [](const Ints& list) { return broch_ints(list.data(), list.size()); };
  const Ints stride = o.stride.ints(), pad = padding.ints(), dilation = o.dilation.ints();
  return conv({broch_of(x.handle()), broch_of(w.weight.handle()),
               broch_of_optional(w.bias.handle()), ints(stride), ints(pad), ints(dilation),
               broch_int(o.groups)});
}

template <size_t N>
Tensor convolve(Tower& t, const Tensor& x, const WeightAndBias& w, const ConvOptions<N>& o) {
  Ops& ops = t.ops();
  const Extent<N> padding = padding_of(o);
  if constexpr (N == 1)
    return ops.conv1d(x, w.weight, w.bias, o.stride.ints(), padding.ints(), o.dilation.ints(),
                      o.groups);
  else if constexpr (N == 2)
    return ops.conv2d(x, w.weight, w.bias, o.stride.ints(), padding.ints(), o.dilation.ints(),
                      o.groups);
  else
    return conv3d_operator(t, x, w, o, padding);
}

template <size_t N>
Tensor convolution(Tower& t, const char* kind, const std::string& name, const Tensor& x,
                   const ConvOptions<N>& options) {
  const Checked checked(t, kind, name);
  const int64_t inputs = image_channels(checked, x, options.channels, options.kernel);
  checked.at_least("stride", options.stride, 1);
  checked.at_least("dilation", options.dilation, 1);
  divided_by_groups(checked, x, inputs, options.channels, options.groups);
  const LayerScope layer(t, name, options.names);
  std::vector<int64_t> shape = {options.channels, inputs / options.groups};
  for (size_t d = 0; d < N; ++d) shape.push_back(options.kernel[d]);
  const WeightAndBias w = weight_and_bias(layer, shape, options.weight, options.channels,
                                          options.use_bias, options.bias);
  return layer.finish(activated(convolve(t, x, w, options), options.activation));
}

}  // namespace glue

// Convolutions. x: float32 (N, C, L), (N, C, H, W) or (N, C, D, H, W). The result has the given
// channels. Variables W (channels, C / groups, kernel…), b (channels).
inline Tensor conv1d(Tower& t, const std::string& name, const Tensor& x,
                     const Conv1dOptions& options) {
  return glue::convolution(t, "conv1d", name, x, options);
}
inline Tensor conv2d(Tower& t, const std::string& name, const Tensor& x,
                     const Conv2dOptions& options) {
  return glue::convolution(t, "conv2d", name, x, options);
}
inline Tensor conv3d(Tower& t, const std::string& name, const Tensor& x,
                     const Conv3dOptions& options) {
  return glue::convolution(t, "conv3d", name, x, options);
}

struct Conv2dTransposeOptions {
  int64_t channels = 0;  // output channels
  Extent<2> kernel = 3;
  Extent<2> stride = 2;
  // -1: such that the result is stride times as large as x. Otherwise it is
  // (H - 1) * stride - 2 * padding + kernel, as in PyTorch.
  Extent<2> padding = -1;
  int64_t groups = 1;
  bool use_bias = true;
  Init weight = Init::he_normal(), bias = Init::constant(0);  // first values
  Activation activation = nullptr;
  Names names = Names::tensorpack;
};

// A transposed convolution: the gradient of a convolution with this stride. x: float32 (N, C, H,
// W). Returns (N, channels, H * stride, W * stride). Without a padding the kernel must be odd at
// stride 1. Variables W (C, channels / groups, kernel, kernel), b (channels).
inline Tensor conv2d_transpose(Tower& t, const std::string& name, const Tensor& x,
                               const Conv2dTransposeOptions& options) {
  const glue::Checked checked(t, "conv2d_transpose", name);
  const int64_t inputs = glue::image_channels(checked, x, options.channels, options.kernel);
  checked.at_least("stride", options.stride, 1);
  glue::divided_by_groups(checked, x, inputs, options.channels, options.groups);
  std::array<int64_t, 2> padding{}, rest{};  // rest: output padding, below and on the right
  for (size_t d = 0; d < 2; ++d) {
    const int64_t k = options.kernel[d], stride = options.stride[d];
    padding[d] = options.padding[d] >= 0 ? options.padding[d]
                 : k > stride            ? (k - stride + 1) / 2
                                         : 0;
    rest[d] = options.padding[d] >= 0 ? 0 : stride - k + 2 * padding[d];
    if (rest[d] >= stride)
      checked.refuse("kernel is " + options.kernel.text() + " at stride 1", "an odd kernel there");
  }
  const glue::LayerScope layer(t, name, options.names);
  const glue::WeightAndBias w = glue::weight_and_bias(
      layer, {inputs, options.channels / options.groups, options.kernel[0], options.kernel[1]},
      options.weight, options.channels, options.use_bias, options.bias);
  const Tensor y =
      t.ops().conv_transpose2d(x, w.weight, w.bias, options.stride.ints(),
                               Extent<2>(padding).ints(), Extent<2>(rest).ints(), options.groups);
  return layer.finish(glue::activated(y, options.activation));
}

}  // namespace v0
}  // namespace broch
