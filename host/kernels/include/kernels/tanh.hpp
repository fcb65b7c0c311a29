// tanh.hpp: the hyperbolic tangent, within 2 ulp; NaN stays NaN. Only for level fast.
#pragma once
#include <cstdint>

namespace broch::kernels {

// y may be x.
void tanh(const float* x, float* y, int64_t size) noexcept;

}  // namespace broch::kernels
