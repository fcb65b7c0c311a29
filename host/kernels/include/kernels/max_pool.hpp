// max_pool.hpp: the largest element of each window of an image and its index, with the same result
// as aten::max_pool2d_with_indices (dilation 1). Exact, so for both levels.
#pragma once
#include <cstdint>

namespace broch::kernels {

// Images are (channels, height, width) or, channels last, (height, width, channels).
struct MaxPool {
  int64_t channels = 0, height = 0, width = 0;
  int64_t kernel_h = 2, kernel_w = 2, stride_h = 2, stride_w = 2, pad_h = 0, pad_w = 0;
  int64_t out_height = 0, out_width = 0;
  bool channels_last = false;
};

// Computes the images [begin, end). `indices` are int64: y * width + x of the first largest
// element. NaN counts as larger than all numbers, and the last NaN of a window wins. Both outputs
// have the layout of the input.
void max_pool(const MaxPool& shape, const float* x, float* y, int64_t* indices, int64_t begin,
              int64_t end) noexcept;

// Writes dx completely: the sum of dy over the windows whose largest element it was.
void max_pool_backward(const MaxPool& shape, const float* dy, const int64_t* indices, float* dx,
                       int64_t begin, int64_t end) noexcept;

}  // namespace broch::kernels
