// exp.hpp: the exponential of an array.
//
// Rounding: within 1 ulp, or 1.1 with generic instructions; only for level fast.
#pragma once
#include <cstdint>

namespace broch::kernels {

// y = e^x; NaN stays NaN. y may be x.
void exponential(const float* x, float* y, int64_t size) noexcept;

}  // namespace broch::kernels
