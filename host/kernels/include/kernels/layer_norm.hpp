// layer_norm.hpp: layer normalisation over contiguous rows (Ba, Kiros and Hinton 2016).
//
//   y = (x - mean) * rstd * gamma + beta,  rstd = 1 / sqrt(variance + eps), variance over `width`
//
// Rounding: sums in an order of our own, the variance in a second pass; level fast only.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct LayerNorm {
  int64_t rows = 0, width = 0;   // rows follow each other
  const float* gamma = nullptr;  // (width), null: ones
};

// y may overwrite x; mean and rstd are (rows); beta may be null.
void layer_norm(const LayerNorm& shape, const float* x, const float* beta, float eps, float* y,
                float* mean, float* rstd) noexcept;

// dx = of x; may overwrite dy. d_gamma and d_beta (width) are added to, each may be null: threads
// that share the rows keep their own and add them up.
void layer_norm_backward(const LayerNorm& shape, const float* dy, const float* x, const float* mean,
                         const float* rstd, float* dx, float* d_gamma, float* d_beta) noexcept;

}  // namespace broch::kernels
