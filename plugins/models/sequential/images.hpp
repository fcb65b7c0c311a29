// images.hpp: pooling, and layers that make images larger.
#pragma once
#include "values.hpp"

namespace broch::models {

// Part of a layer: the windows of pooling in N dimensions.
template <size_t N>
struct Windows {
  JsonText kernel, stride, padding;
  static constexpr auto schema = options(
      option("kernel", &Windows::kernel, "Size of the windows.").schema(kSizes<N>).by_default(2),
      option("stride", &Windows::stride, "Step of the windows; null: their size.")
          .schema(kMaybeSteps<N>)
          .by_default(nullptr),
      option("padding", &Windows::padding, "Added on each side, at most half of the kernel.")
          .schema(kPadding<N>)
          .by_default(0));
  PoolingOptions<N> windows() const {
    return {extent_of<N>(kernel), extent_or<N>(stride, 0), extent_of<N>(padding)};
  }
};

// A layer of pooling: its words and its function.
template <class Pool, size_t N>
struct Pooled : Kind<Pooled<Pool, N>>, Windows<N> {
  static constexpr const char* kKind = Pool::kKind;
  static constexpr const char* kDescription = Pool::kDescription;
  static constexpr auto schema = options(Layer::schema, Windows<N>::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return Pool::call(build.t, name, x, this->windows());
  }
};
template <auto function>
struct Called {
  template <class... Arguments>
  static Tensor call(Arguments&&... arguments) {
    return function(std::forward<Arguments>(arguments)...);
  }
};
struct MaxPool1dWords : Called<max_pool1d> {
  static constexpr const char* kKind = "max_pool1d";
  static constexpr const char* kDescription = "The maximum of each window of (N, C, L).";
};
struct MaxPool2dWords : Called<max_pool2d> {
  static constexpr const char* kKind = "max_pool2d";
  static constexpr const char* kDescription = "The maximum of each window of (N, C, H, W).";
};
struct MaxPool3dWords : Called<max_pool3d> {
  static constexpr const char* kKind = "max_pool3d";
  static constexpr const char* kDescription = "The maximum of each window of (N, C, D, H, W).";
};
struct AvgPool1dWords : Called<avg_pool1d> {
  static constexpr const char* kKind = "avg_pool1d";
  static constexpr const char* kDescription =
      "The mean of each window of (N, C, L); zeros of the padding count.";
};
struct AvgPool2dWords : Called<avg_pool2d> {
  static constexpr const char* kKind = "avg_pool2d";
  static constexpr const char* kDescription =
      "The mean of each window of (N, C, H, W); zeros of the padding count.";
};
struct AvgPool3dWords : Called<avg_pool3d> {
  static constexpr const char* kKind = "avg_pool3d";
  static constexpr const char* kDescription =
      "The mean of each window of (N, C, D, H, W); zeros of the padding count.";
};
using MaxPool1d = Pooled<MaxPool1dWords, 1>;
using MaxPool2d = Pooled<MaxPool2dWords, 2>;
using MaxPool3d = Pooled<MaxPool3dWords, 3>;
using AvgPool1d = Pooled<AvgPool1dWords, 1>;
using AvgPool2d = Pooled<AvgPool2dWords, 2>;
using AvgPool3d = Pooled<AvgPool3dWords, 3>;

struct GlobalAvgPool final : Kind<GlobalAvgPool> {
  static constexpr const char* kKind = "global_avg_pool";
  static constexpr const char* kDescription =
      "The mean over height and width: (N, C, H, W) to (N, C).";
  static constexpr auto schema = options(Layer::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return global_avg_pool(build.t, name, x);
  }
};

struct GlobalMaxPool final : Kind<GlobalMaxPool> {
  static constexpr const char* kKind = "global_max_pool";
  static constexpr const char* kDescription =
      "The maximum over height and width: (N, C, H, W) to (N, C).";
  static constexpr auto schema = options(Layer::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return global_max_pool(build.t, name, x);
  }
};

struct AdaptiveAvgPool2d final : Kind<AdaptiveAvgPool2d> {
  static constexpr const char* kKind = "adaptive_avg_pool2d";
  static constexpr const char* kDescription =
      "Means of windows that cover images (N, C, H, W), to a given size.";
  JsonText size;
  static constexpr auto schema =
      options(Layer::schema, option("size", &AdaptiveAvgPool2d::size, "Height and width.")
                                 .schema(kSizes<2>)
                                 .by_default(1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return adaptive_avg_pool2d(build.t, name, x, extent_of<2>(size));
  }
};

struct FixedUnpool final : Kind<FixedUnpool> {
  static constexpr const char* kKind = "fixed_unpool";
  static constexpr const char* kDescription = "Replaces each pixel by itself times a fixed matrix.";
  JsonText factor;
  std::vector<double> matrix;
  static constexpr auto schema = options(
      Layer::schema,
      option("factor", &FixedUnpool::factor, "Height and width of the matrix.")
          .schema(kSizes<2>)
          .by_default(2),
      option("matrix", &FixedUnpool::matrix,
             "The rows of the matrix, one after the other; []: 1 in the corner, otherwise 0.")
          .by_default());
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return fixed_unpool(build.t, name, x, extent_of<2>(factor), {matrix.begin(), matrix.end()});
  }
};

// Part of a layer: how much larger images become.
struct Enlarging {
  JsonText factor;
  static constexpr auto schema =
      options(option("factor", &Enlarging::factor, "How many times as large: height and width.")
                  .schema(kSizes<2>)
                  .by_default(2));
};

struct UpsampleNearest final : Kind<UpsampleNearest>, Enlarging {
  static constexpr const char* kKind = "upsample_nearest";
  static constexpr const char* kDescription = "Enlarges images by repeating pixels.";
  static constexpr auto schema = options(Layer::schema, Enlarging::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return upsample_nearest(build.t, name, x, extent_of<2>(factor));
  }
};

struct UpsampleBilinear final : Kind<UpsampleBilinear>, Enlarging {
  static constexpr const char* kKind = "upsample_bilinear";
  static constexpr const char* kDescription = "Enlarges images by bilinear interpolation.";
  bool align_corners;
  static constexpr auto schema =
      options(Layer::schema, Enlarging::schema,
              option("align_corners", &UpsampleBilinear::align_corners,
                     "Whether the centers of the pixels in the corners stay where they are.")
                  .by_default(false));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return upsample_bilinear(build.t, name, x, extent_of<2>(factor), align_corners);
  }
};

struct PixelShuffle final : Kind<PixelShuffle> {
  static constexpr const char* kKind = "pixel_shuffle";
  static constexpr const char* kDescription =
      "Turns channels into pixels: (N, C * factor^2, H, W) to (N, C, H * factor, W * factor).";
  int64_t factor;
  static constexpr auto schema = options(
      Layer::schema,
      option("factor", &PixelShuffle::factor, "How many times as large.").minimum(1).by_default(2));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return pixel_shuffle(build.t, name, x, factor);
  }
};

}  // namespace broch::models
