// batch_norm.hpp: batch normalization during training (Ioffe and Szegedy 2015).
//
//   y = (x - mean) * inverse * gamma + beta,  inverse = 1 / sqrt(variance + eps)
//
// where mean and variance are over images and area. The layout is (images, channels, area), whose
// channels threads divide among themselves, or (images, area, channels), channels last, of which
// they divide the pixels: images * area.
// Rounding: sums are in another order than in LibTorch, and the variance is computed from distances
// to the mean. So this is only for level fast, except for batch_norm_exactly.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct BatchNorm {
  int64_t images = 0, channels = 0, area = 0;
  const float* gamma = nullptr;  // (channels); null: ones

  int64_t pixels() const noexcept { return images * area; }
};

// The channels or pixels of one call.
struct BatchNormRange {
  int64_t begin, end;
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
void batch_norm(const BatchNorm& shape, const BatchNormForward& call,
                const BatchNormRange& channels) noexcept;

// Gives the same bits as LibTorch 2.11 (aten/src/ATen/native/cpu/batch_norm_kernel.cpp). Each
// channel is summed in double, element by element. Several channels are summed at once, since only
// the order within a channel matters.
void batch_norm_exactly(const BatchNorm& shape, const BatchNormForward& call,
                        const BatchNormRange& channels) noexcept;
// It needs fused multiply-add, which LibTorch's kernel uses, too.
bool exact_batch_norm_is_here() noexcept;

struct BatchNormBackward {
  const float *dy = nullptr, *x = nullptr, *mean = nullptr, *inverse = nullptr;
  const float* y = nullptr;  // output of a fused relu: dy counts where y > 0; null: no relu
  float* dx = nullptr;       // may be dy
  float *d_gamma = nullptr, *d_beta = nullptr;  // (channels), written; each may be null
  // Instead of y: its bits are computed again from x, which is read anyway.
  bool relu = false;
  const float* beta = nullptr;  // of the forward pass
};
void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call,
                         const BatchNormRange& channels) noexcept;
// Gives the same bits as LibTorch. Sums within an image are in float, those over images in double.
// Without `relu`.
void batch_norm_backward_exactly(const BatchNorm& shape, const BatchNormBackward& call,
                                 const BatchNormRange& channels) noexcept;

// Sums that each of several threads has computed over its pixels; with one thread, over all.
struct BatchNormSums {
  float* values;        // (parts, 2, channels)
  int64_t parts, each;  // each: pixels of a part; the last may have fewer

  float* of(int64_t part, int64_t channels) const noexcept { return values + part * 2 * channels; }
};

// Channels last, in three steps; all threads have to finish one before the next begins.
// 1. moments: (2, channels), the means over the pixels and the sums of squared distances to them.
void batch_norm_moments(const BatchNorm& shape, const float* x, const BatchNormRange& pixels,
                        float* moments) noexcept;
// 2. On one thread: the statistics of all pixels.
void batch_norm_statistics(const BatchNorm& shape, const BatchNormForward& call,
                           const BatchNormSums& moments) noexcept;
// 3. y.
void batch_norm_last(const BatchNorm& shape, const BatchNormForward& call,
                     const BatchNormRange& pixels) noexcept;

// The gradients in three steps, too.
// 1. sums: (2, channels), the sums of dy and of dy * (x - mean) over the pixels.
void batch_norm_gradient_sums(const BatchNorm& shape, const BatchNormBackward& call,
                              const BatchNormRange& pixels, float* sums) noexcept;
// 2. On one thread: d_gamma and d_beta. Those of all pixels are then in the first part.
void batch_norm_parameter_gradients(const BatchNorm& shape, const BatchNormBackward& call,
                                    const BatchNormSums& sums) noexcept;
// 3. dx. sums: of all pixels.
void batch_norm_last_backward(const BatchNorm& shape, const BatchNormBackward& call,
                              const float* sums, const BatchNormRange& pixels) noexcept;

}  // namespace broch::kernels
