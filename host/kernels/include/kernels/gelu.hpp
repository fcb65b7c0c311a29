// gelu.hpp: x * Phi(x), the Gaussian error linear unit (Hendrycks and Gimpel 2016), and its
// gradient.
//
// Accuracy: erf to 1.5e-7 (Abramowitz and Stegun 7.1.26), tanh from one exponential; only for level
// fast. The result may overwrite an operand.
#pragma once
#include <cstdint>

namespace broch::kernels {

enum class Gelu { erf, tanh };  // tanh: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))

void gelu(Gelu form, const float* x, float* y, int64_t size) noexcept;
void gelu_backward(Gelu form, const float* dy, const float* x, float* dx, int64_t size) noexcept;

}  // namespace broch::kernels
