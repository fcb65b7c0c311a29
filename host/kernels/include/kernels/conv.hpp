// conv.hpp: convolution of images in float32 and its gradients, one group, no dilation.
//
// y, dy and dx lie dense with channels last, (images, height, width, channels); x and the weights
// anywhere by strides. A plan is made once per call site and may serve many threads, which share
// the images; it gives the same bits for an image in every range that contains it.
// Rounding: sums in an order of our own with fused multiply-add; level fast only.
// Source of the direct method: Georganas et al., Anatomy of High-Performance Deep Learning
// Convolutions on SIMD Architectures, 2018.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

namespace broch::kernels {

struct Extent {
  int64_t height = 1, width = 1;
};

// Elements from one to the next. Of weights, logically (out, in, height, width): first is out,
// channel is in.
struct ConvStrides {
  int64_t first = 0, channel = 0, row = 0, column = 0;
};

struct ConvShape {
  int64_t images = 0, channels = 0, out_channels = 0;
  Extent image, kernel, stride, padding;
  ConvStrides x, weights;  // quickest where channels are adjacent; x also with 1 or 3 channels

  Extent out() const noexcept {
    return {(image.height + 2 * padding.height - kernel.height) / stride.height + 1,
            (image.width + 2 * padding.width - kernel.width) / stride.width + 1};
  }
};

struct ImageRange {
  int64_t begin = 0, end = 0;
};

// In this order: sum, + what was there, + bias, relu, gate. Null and false leave a step out.
struct ConvEpilogue {
  bool accumulate = false;
  const float* bias = nullptr;  // (channels of the result)
  bool relu = false;            // NaN stays NaN
  const float* gate = nullptr;  // as the result: it is 0 where gate <= 0
};

struct ConvParts;
struct ConvWeightsParts;

// y from x, or dx from dy.
class ConvPlan {
 public:
  static ConvPlan forward(const ConvShape& shape);
  static ConvPlan backward_input(const ConvShape& shape);

  // Floats of the weights in the plan's order, made by pack() and shared by all threads, and those
  // that run() needs besides, for each thread.
  int64_t packed_size() const noexcept;
  int64_t scratch_size() const noexcept;

  void pack(const float* weights, float* packed) const noexcept;

  // Nothing overlaps. `from` and `to` are those of the first image, whatever the range.
  void run(const float* from, const float* packed, float* to, const ConvEpilogue& epilogue,
           const ImageRange& range, float* scratch) const noexcept;

 private:
  explicit ConvPlan(std::shared_ptr<const ConvParts> parts) noexcept : parts_(std::move(parts)) {}
  std::shared_ptr<const ConvParts> parts_;
};

// The gradients of weights and bias: each thread sums its images, finish() joins the sums.
class ConvWeightsPlan {
 public:
  explicit ConvWeightsPlan(const ConvShape& shape);

  int64_t sums_size() const noexcept;  // floats of one thread's sums
  int64_t scratch_size() const noexcept;

  // Writes sums over the images of the range, which is not empty.
  void run(const float* x, const float* dy, const ImageRange& range, float* sums,
           float* scratch) const noexcept;

  // Adds `count` sums, which lie one behind the other, in their order. d_weights has the strides of
  // the weights; d_bias (out_channels) may be null.
  void finish(const float* sums, int64_t count, float* d_weights, float* d_bias) const noexcept;

 private:
  std::shared_ptr<const ConvWeightsParts> parts_;
};

}  // namespace broch::kernels
