// batch_norm.hpp: batch normalisation during training (Ioffe and Szegedy 2015).
//
//   y = (x - mean) * inverse * gamma + beta,  inverse = 1 / sqrt(variance + eps)
//
// where mean and variance are over images and area. The layout is (images, channels, area) or,
// channels last, (images, area, channels). Threads divide the channels among themselves.
// Rounding: sums are in another order than in LibTorch, and the variance is computed from distances
// to the mean. So this is only for level fast, except for batch_norm_exactly.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct BatchNorm {
  int64_t images = 0, channels = 0, area = 0;
  bool channels_last = false;
  const float* gamma = nullptr;  // (channels); null: ones
  int64_t begin = 0, end = 0;    // the channels of this call
};

struct BatchNormForward {
  const float* x = nullptr;
  const float* beta = nullptr;  // (channels); null: zeros
  double eps = 1e-5;
  bool relu = false;                          // y = max(0, ...); NaN stays NaN
  float* y = nullptr;                         // may be x
  float *mean = nullptr, *inverse = nullptr;  // (channels), for the backward pass
  // running = (1 - momentum) * running + momentum * new, where the variance is divided by count -
  // 1; null: no running statistics.
  float *running_mean = nullptr, *running_variance = nullptr;
  double momentum = 0.1;
};
void batch_norm(const BatchNorm& shape, const BatchNormForward& call) noexcept;

// Gives the same bits as LibTorch 2.11 (aten/src/ATen/native/cpu/batch_norm_kernel.cpp) if the
// layout is not channels last. Each channel is summed in double, element by element. Several
// channels are summed at once, since only the order within a channel matters.
void batch_norm_exactly(const BatchNorm& shape, const BatchNormForward& call) noexcept;
// It needs fused multiply-add, which LibTorch's kernel uses, too.
bool exact_batch_norm_is_here() noexcept;

struct BatchNormBackward {
  const float *dy = nullptr, *x = nullptr, *mean = nullptr, *inverse = nullptr;
  const float* y = nullptr;  // output of a fused relu: dy counts where y > 0; null: no relu
  float* dx = nullptr;       // may be dy
  float *d_gamma = nullptr, *d_beta = nullptr;  // (channels), written; each may be null
};
void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call) noexcept;
// Gives the same bits as LibTorch if the layout is not channels last. Sums within an image are in
// float, those over images in double.
void batch_norm_backward_exactly(const BatchNorm& shape, const BatchNormBackward& call) noexcept;

}  // namespace broch::kernels
