// layer_norm.hpp: layer normalization of contiguous rows (Ba, Kiros and Hinton 2016).
//
//   y = (x - mean) * rstd * gamma + beta,  rstd = 1 / sqrt(variance + eps), variance over `width`
//
// Rounding: sums are in another order than in LibTorch, and the variance takes a second pass; only
// for level fast.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct LayerNorm {
  int64_t rows = 0, width = 0;   // rows are contiguous
  const float* gamma = nullptr;  // (width); null: ones
};

// y may overwrite x; mean and rstd are (rows); beta may be null.
void layer_norm(const LayerNorm& shape, const float* x, const float* beta, float eps, float* y,
                float* mean, float* rstd) noexcept;

// Writes dx, the gradient of x, which may overwrite dy. The gradients d_gamma and d_beta (width)
// are added to what is there; each may be null. Threads that divide the rows use their own and add
// them up later.
void layer_norm_backward(const LayerNorm& shape, const float* dy, const float* x, const float* mean,
                         const float* rstd, float* dx, float* d_gamma, float* d_beta) noexcept;

}  // namespace broch::kernels
