// conv.hpp: convolution of images in float32 and its gradients, with one group and without
// dilation.
//
// y, dy and dx are dense with channels last, (images, height, width, channels). x and the weights
// have arbitrary strides. x may be bytes that are multiplied by a number while they are read, as
// the pixels of pictures often are. A plan is made once per call site. It may be used by several
// threads, which divide the images or pieces of them among themselves; the bits of a result do not
// depend on the range it is computed in.
//
// Rounding: sums are in another order than in LibTorch and use fused multiply-add; only for level
// fast.
//
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

// The distances between neighboring elements, in elements. For weights, which are logically (out,
// in, height, width), `first` is for out and `channel` for in.
struct ConvStrides {
  int64_t first = 0, channel = 0, row = 0, column = 0;
};

struct ConvShape {
  int64_t images = 0, channels = 0, out_channels = 0;
  Extent image, kernel, stride, padding;
  ConvStrides x, weights;  // fastest if channels are adjacent; for x also with few channels
  bool is_bytes = false;   // x: uint8, each times `scale`; otherwise float32
  float scale = 1;

  Extent out() const noexcept {
    return {(image.height + 2 * padding.height - kernel.height) / stride.height + 1,
            (image.width + 2 * padding.width - kernel.width) / stride.width + 1};
  }
};

struct ImageRange {
  int64_t begin = 0, end = 0;
};

// Pieces of results, such as rows of pixels: those of the first image, then of the next.
struct PieceRange {
  int64_t begin = 0, end = 0;
};

// What is done with each sum, in this order: add the old value, add the bias, relu, gate. Null and
// false leave a step out.
struct ConvEpilogue {
  bool accumulate = false;
  const float* bias = nullptr;  // (channels of the result)
  bool relu = false;            // NaN stays NaN
  const float* gate = nullptr;  // shaped like the result, which is 0 where gate <= 0
};

struct ConvParts;
struct ConvWeightsParts;

// Computes y from x, or dx from dy.
class ConvPlan {
 public:
  static ConvPlan forward(const ConvShape& shape);
  static ConvPlan backward_input(const ConvShape& shape);

  // packed_size: the number of floats of the packed weights, which pack() writes and all threads
  // share. scratch_size: the number of floats that run() needs in addition, for each thread.
  int64_t packed_size() const noexcept;
  int64_t scratch_size() const noexcept;

  void pack(const float* weights, float* packed) const noexcept;

  // The number of pieces of an image that can be computed one by one.
  int64_t pieces() const noexcept;

  // No arguments may overlap. `from` and `to` point to the first image, whatever the range is;
  // `from` to floats, or forward to what the shape says.
  void run(const void* from, const float* packed, float* to, const ConvEpilogue& epilogue,
           const PieceRange& range, float* scratch) const noexcept;

 private:
  explicit ConvPlan(std::shared_ptr<const ConvParts> parts) noexcept : parts_(std::move(parts)) {}
  std::shared_ptr<const ConvParts> parts_;
};

// The gradients of weights and bias. Each thread sums over its images, then finish() adds the sums
// of the threads.
class ConvWeightsPlan {
 public:
  explicit ConvWeightsPlan(const ConvShape& shape);

  int64_t sums_size() const noexcept;  // the number of floats for the sums of one thread
  int64_t scratch_size() const noexcept;

  // Writes the sums over the images of the range, which must not be empty.
  void run(const void* x, const float* dy, const ImageRange& range, float* sums,
           float* scratch) const noexcept;

  // Adds the sums of `count` threads, which are contiguous, in their order. d_weights has the
  // strides of the weights; d_bias (out_channels) may be null.
  void finish(const float* sums, int64_t count, float* d_weights, float* d_bias) const noexcept;

 private:
  std::shared_ptr<const ConvWeightsParts> parts_;
};

}  // namespace broch::kernels
