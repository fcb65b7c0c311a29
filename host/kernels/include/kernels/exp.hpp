// exp.hpp: the exponential.
//
// Rounding: within 1 ulp, 1.1 with generic instructions; level fast only.
#pragma once
#include <cstdint>

namespace broch::kernels {

// y = e^x; NaN stays NaN. y may be x.
void exponential(const float* x, float* y, int64_t size) noexcept;

}  // namespace broch::kernels
