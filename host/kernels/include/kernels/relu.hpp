// relu.hpp: rectifiers, and sums of two arrays. NaN stays NaN. The bits are those of LibTorch, so
// these are for both levels. The result may overwrite an operand.
#pragma once
#include <cstdint>

namespace broch::kernels {

void relu(const float* x, float* y, int64_t size) noexcept;

// dx = x <= threshold ? 0 : dy, as aten::threshold_backward. For threshold 0, x may be the output
// of relu.
void threshold_backward(const float* dy, const float* x, float threshold, float* dx,
                        int64_t size) noexcept;

void add(const float* a, const float* b, float* sum, int64_t size) noexcept;
void add_relu(const float* a, const float* b, float* y, int64_t size) noexcept;

}  // namespace broch::kernels
