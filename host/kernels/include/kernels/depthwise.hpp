// depthwise.hpp: convolutions that compute each channel of the result from the same channel of x,
// and their gradients, in float32.
//
// All images are dense with channels last, weights are (channels, height, width). Threads divide
// images, or channels for the gradient of the weights, among themselves; the bits do not depend on
// how.
// Rounding: sums are in another order than in LibTorch and use fused multiply-add; only for level
// fast.
#pragma once
#include <cstdint>
#include <memory>

#include "kernels/conv.hpp"

namespace broch::kernels {

struct DepthwiseShape {
  int64_t images = 0, channels = 0;
  Extent image, kernel, stride, padding, dilation;

  Extent out() const noexcept {
    return {
        (image.height + 2 * padding.height - dilation.height * (kernel.height - 1) - 1) /
                stride.height +
            1,
        (image.width + 2 * padding.width - dilation.width * (kernel.width - 1) - 1) / stride.width +
            1};
  }
};

struct DepthwiseParts;

class DepthwisePlan {
 public:
  static constexpr int64_t kMostTaps = 121;  // of a kernel

  explicit DepthwisePlan(const DepthwiseShape& shape);

  // The number of floats of the packed weights, which pack() writes and all threads share.
  int64_t packed_size() const noexcept;
  void pack(const float* weights, float* packed) const noexcept;

  // Pointers are to the first image, whatever the range is. No arguments may overlap.
  void forward(const float* x, const float* packed, float* y, const ConvEpilogue& epilogue,
               const ImageRange& range) const noexcept;
  void backward_input(const float* dy, const float* packed, float* dx, const ConvEpilogue& epilogue,
                      const ImageRange& range) const noexcept;
  // Writes the gradients of the weights of channels [begin, end). REQUIRES: begin is a multiple of
  // 16.
  void backward_weights(const float* x, const float* dy, int64_t begin, int64_t end,
                        float* d_weights) const noexcept;

 private:
  std::shared_ptr<const DepthwiseParts> parts_;
};

}  // namespace broch::kernels
