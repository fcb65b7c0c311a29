// norm.hpp: the sum of squares of a list of numbers, and scaling.
#pragma once
#include <cstdint>

namespace broch::kernels {

// Sums in float within blocks of a few thousand elements, and in double over the blocks.
double sum_of_squares(const float* from, int64_t size) noexcept;

// to[i] = from[i] * factor, rounded once; `to` may be `from`.
void scale(const float* from, float factor, float* to, int64_t size) noexcept;

}  // namespace broch::kernels
