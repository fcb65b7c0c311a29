// relu.hpp: rectifiers and sums of two. NaN stays NaN. Exact, so of LibTorch's bits on both levels.
// The result may overwrite an operand.
#pragma once
#include <cstdint>

namespace broch::kernels {

void relu(const float* x, float* y, int64_t size) noexcept;

// dx = x <= threshold ? 0 : dy, as aten::threshold_backward; x may be relu's output for 0.
void threshold_backward(const float* dy, const float* x, float threshold, float* dx,
                        int64_t size) noexcept;

void add(const float* a, const float* b, float* sum, int64_t size) noexcept;
void add_relu(const float* a, const float* b, float* y, int64_t size) noexcept;

}  // namespace broch::kernels
