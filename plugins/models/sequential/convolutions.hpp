// convolutions.hpp: convolutions, linear maps and embeddings.
#pragma once
#include "values.hpp"

namespace broch::models {

// conv1d, conv2d and conv3d.
template <size_t N>
struct Convolution final : Kind<Convolution<N>>, Activated, Weighed {
  static_assert(N >= 1 && N <= 3);
  static constexpr const char* kKinds[] = {"conv1d", "conv2d", "conv3d"};
  static constexpr const char* kDescriptions[] = {"A convolution of (N, C, L).",
                                                  "A convolution of images (N, C, H, W).",
                                                  "A convolution of volumes (N, C, D, H, W)."};
  static constexpr const char* kSizesOfKernel[] = {
      "Length of the kernel.", "Size of the kernel: a number, or height and width.",
      "Size of the kernel: a number, or depth, height, width."};
  static constexpr const char* kKind = kKinds[N - 1];
  static constexpr const char* kDescription = kDescriptions[N - 1];
  int64_t channels, groups;
  JsonText kernel, stride, padding, dilation;
  bool use_bias;
  static constexpr auto schema = options(
      Layer::schema, option("channels", &Convolution::channels, "Output channels.").minimum(1),
      option("kernel", &Convolution::kernel, kSizesOfKernel[N - 1]).schema(kSizes<N>).by_default(3),
      option("stride", &Convolution::stride, "Step of the kernel.").schema(kSizes<N>).by_default(1),
      option("padding", &Convolution::padding,
             "Zeros on each side; null: half of what the kernel spans.")
          .schema(kMaybeSizes<N>)
          .by_default(nullptr),
      option("dilation", &Convolution::dilation, "Distance of the kernel's elements.")
          .schema(kSizes<N>)
          .by_default(1),
      option("groups", &Convolution::groups,
             N == 2 ? "Groups of channels that are convolved by themselves; as many as channels: "
                      "depthwise."
                    : "Groups of channels that are convolved by themselves.")
          .minimum(1)
          .by_default(1),
      option("use_bias", &Convolution::use_bias, "Whether to add a bias.").by_default(true),
      Activated::schema, Weighed::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    ConvOptions<N> o;
    o.channels = channels;
    o.kernel = extent_of<N>(kernel);
    o.stride = extent_of<N>(stride);
    o.padding = extent_or<N>(padding, -1);
    o.dilation = extent_of<N>(dilation);
    o.groups = groups;
    o.use_bias = use_bias;
    o.weight = weight_or(o.weight);
    o.activation = function();
    o.names = build.names;
    if constexpr (N == 1) return conv1d(build.t, name, x, o);
    if constexpr (N == 2) return conv2d(build.t, name, x, o);
    if constexpr (N == 3) return conv3d(build.t, name, x, o);
  }
};
using Conv1d = Convolution<1>;
using Conv2d = Convolution<2>;
using Conv3d = Convolution<3>;

struct Conv2dTranspose final : Kind<Conv2dTranspose>, Activated, Weighed {
  static constexpr const char* kKind = "conv2d_transpose";
  static constexpr const char* kDescription =
      "A transposed convolution, which makes images (N, C, H, W) larger.";
  int64_t channels, groups;
  JsonText kernel, stride, padding;
  bool use_bias;
  static constexpr auto schema = options(
      Layer::schema, option("channels", &Conv2dTranspose::channels, "Output channels.").minimum(1),
      option("kernel", &Conv2dTranspose::kernel, "Size of the kernel.")
          .schema(kSizes<2>)
          .by_default(3),
      option("stride", &Conv2dTranspose::stride, "How many times as large images become.")
          .schema(kSizes<2>)
          .by_default(2),
      option("padding", &Conv2dTranspose::padding,
             "What is cut off on each side; null: as much as makes images stride times as large.")
          .schema(kMaybeSizes<2>)
          .by_default(nullptr),
      option("groups", &Conv2dTranspose::groups,
             "Groups of channels that are convolved by themselves.")
          .minimum(1)
          .by_default(1),
      option("use_bias", &Conv2dTranspose::use_bias, "Whether to add a bias.").by_default(true),
      Activated::schema, Weighed::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    Conv2dTransposeOptions o;
    o.channels = channels;
    o.kernel = extent_of<2>(kernel);
    o.stride = extent_of<2>(stride);
    o.padding = extent_or<2>(padding, -1);
    o.groups = groups;
    o.use_bias = use_bias;
    o.weight = weight_or(o.weight);
    o.activation = function();
    o.names = build.names;
    return conv2d_transpose(build.t, name, x, o);
  }
};

// fully_connected and linear.
struct LinearMap : Activated, Weighed {
  int64_t units;
  bool use_bias;
  static constexpr auto schema =
      options(option("units", &LinearMap::units, "Numbers of the result.").minimum(1),
              option("use_bias", &LinearMap::use_bias, "Whether to add a bias.").by_default(true),
              Activated::schema, Weighed::schema);
  FullyConnectedOptions with_names(Names names) const {
    FullyConnectedOptions o;
    o.units = units;
    o.use_bias = use_bias;
    o.weight = weight_or(o.weight);
    o.activation = function();
    o.names = names;
    return o;
  }
};

struct FullyConnected final : Kind<FullyConnected>, LinearMap {
  static constexpr const char* kKind = "fully_connected";
  static constexpr const char* kDescription =
      "A linear map of all numbers of a sample: (N, ...) to (N, units).";
  static constexpr auto schema = options(Layer::schema, LinearMap::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return fully_connected(build.t, name, x, with_names(build.names));
  }
};

struct Linear final : Kind<Linear>, LinearMap {
  static constexpr const char* kKind = "linear";
  static constexpr const char* kDescription =
      "A linear map of the last dimension: (..., D) to (..., units).";
  static constexpr auto schema = options(Layer::schema, LinearMap::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return linear(build.t, name, x, with_names(build.names));
  }
};

struct Embedding final : Kind<Embedding>, Weighed {
  static constexpr const char* kKind = "embedding";
  static constexpr const char* kDescription =
      "Rows of a table by their numbers: int64 (...) to (..., width).";
  int64_t rows, width;
  static constexpr auto schema =
      options(Layer::schema, option("rows", &Embedding::rows, "Rows of the table.").minimum(1),
              option("width", &Embedding::width, "Numbers in a row.").minimum(1), Weighed::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    EmbeddingOptions o;
    o.rows = rows;
    o.width = width;
    o.weight = weight_or(o.weight);
    o.names = build.names;
    return embedding(build.t, name, x, o);
  }
};

struct PositionEmbedding final : Kind<PositionEmbedding>, Weighed {
  static constexpr const char* kKind = "position_embedding";
  static constexpr const char* kDescription =
      "Adds row t of a table to step t of sequences (N, T, D).";
  int64_t rows;
  static constexpr auto schema =
      options(Layer::schema,
              option("rows", &PositionEmbedding::rows, "Steps of the longest sequence.").minimum(1),
              Weighed::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    PositionEmbeddingOptions o;
    o.rows = rows;
    o.weight = weight_or(o.weight);
    o.names = build.names;
    return position_embedding(build.t, name, x, o);
  }
};

}  // namespace broch::models
