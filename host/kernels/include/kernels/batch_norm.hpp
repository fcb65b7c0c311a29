// batch_norm.hpp: batch normalisation while training (Ioffe and Szegedy 2015).
//
//   y = (x - mean) * inverse * gamma + beta,  inverse = 1 / sqrt(variance + eps)
//
// with mean and variance over images and area. Layouts (images, channels, area) or, channels last,
// (images, area, channels). Threads take parts of the channels.
// Rounding: sums in an order of our own, the variance from distances to means; level fast only, but
// for batch_norm_exactly.
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
  double eps = 1e-5;
  bool relu = false;                          // y = max(0, ...), NaN stays NaN
  float* y = nullptr;                         // may be x
  float *mean = nullptr, *inverse = nullptr;  // (channels), for the backward pass
  // running = (1 - momentum) * running + momentum * new, with the variance over count - 1; null:
  // none are kept.
  float *running_mean = nullptr, *running_variance = nullptr;
  double momentum = 0.1;
};
void batch_norm(const BatchNorm& shape, const BatchNormForward& call) noexcept;

// The bits of LibTorch 2.11 (aten/src/ATen/native/cpu/batch_norm_kernel.cpp) for planes: each
// channel is summed in double, element after element; several channels at once, since only the
// order within one counts. Not for channels last.
void batch_norm_exactly(const BatchNorm& shape, const BatchNormForward& call) noexcept;
// It needs a multiplication that adds without rounding in between, as LibTorch's own has.
bool exact_batch_norm_is_here() noexcept;

struct BatchNormBackward {
  const float *dy = nullptr, *x = nullptr, *mean = nullptr, *inverse = nullptr;
  const float* y = nullptr;  // of a fused relu: dy counts where y > 0; null: none was fused
  float* dx = nullptr;       // may be dy
  float *d_gamma = nullptr, *d_beta = nullptr;  // (channels), written, each may be null
};
void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call) noexcept;
// The bits of LibTorch, for planes: vectors of each image are summed in float, images in double.
void batch_norm_backward_exactly(const BatchNorm& shape, const BatchNormBackward& call) noexcept;

}  // namespace broch::kernels
