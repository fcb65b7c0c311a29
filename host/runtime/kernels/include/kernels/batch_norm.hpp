// batch_norm.hpp: batch normalisation while training (Ioffe and Szegedy 2015).
//
//   y = (x - mean) * inverse * gamma + beta,  inverse = 1 / sqrt(variance + eps)
//
// with mean and variance over images and area. Layouts (images, channels, area) or, channels last,
// (images, area, channels). Threads take parts of the channels.
// Rounding: sums in an order of our own, the variance from distances to means; level fast only.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct BatchNorm {
  int64_t images = 0, channels = 0, area = 0;
  bool channels_last = false;
  const float* gamma = nullptr;  // (channels), null: ones
  int64_t begin = 0, end = 0;    // channels of this call
};

struct BatchNormForward {
  const float* x = nullptr;
  const float* beta = nullptr;  // (channels), null: zeros
  float eps = 1e-5f;
  bool relu = false;                          // y = max(0, ...), NaN stays NaN
  float* y = nullptr;                         // may be x
  float *mean = nullptr, *inverse = nullptr;  // (channels), for the backward pass
  // running = (1 - momentum) * running + momentum * new, with the variance over count - 1; null:
  // none are kept.
  float *running_mean = nullptr, *running_variance = nullptr;
  float momentum = 0.1f;
};
void batch_norm(const BatchNorm& shape, const BatchNormForward& call) noexcept;

struct BatchNormBackward {
  const float *dy = nullptr, *x = nullptr, *mean = nullptr, *inverse = nullptr;
  const float* y = nullptr;  // of a fused relu: dy counts where y > 0; null: none was fused
  float* dx = nullptr;       // may be dy
  float *d_gamma = nullptr, *d_beta = nullptr;  // (channels), written, each may be null
};
void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call) noexcept;

}  // namespace broch::kernels
