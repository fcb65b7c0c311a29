// norm.hpp: the length of a list of numbers, and scaling.
#pragma once
#include <cstdint>

namespace broch::kernels {

// In float over blocks of some thousand elements, whose sums are added in double.
double sum_of_squares(const float* from, int64_t size) noexcept;

// to[i] = from[i] * factor, rounded once; to may be from.
void scale(const float* from, float factor, float* to, int64_t size) noexcept;

}  // namespace broch::kernels
