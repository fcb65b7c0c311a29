// batch_norm_exact.cpp: batch norm in LibTorch's order of operations.
#include <cmath>

#include "kernels/batch_norm.hpp"
#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "batch_norm_exact.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// Channels that are summed side by side, and elements of each that are made double at a time.
constexpr int64_t kChannels = 8, kStretch = 128;

// For channels [channel, channel + count): the sum of term(x) over its elements, one by one.
template <class Term>
HWY_INLINE void sum_in_order(const BatchNorm& shape, const float* x, int64_t channel, int64_t count,
                             const Term& term, double* sums) {
  HWY_ALIGN double terms[kChannels][kStretch];
  double all[kChannels] = {};
  for (int64_t image = 0; image < shape.images; ++image) {
    const float* const plane = x + (image * shape.channels + channel) * shape.area;
    for (int64_t at = 0; at < shape.area; at += kStretch) {
      const int64_t left = shape.area - at, size = left < kStretch ? left : kStretch;
      for (int64_t c = 0; c < count; ++c) {
        const float* const from = plane + c * shape.area + at;
        for (int64_t i = 0; i < size; ++i) terms[c][i] = static_cast<double>(term(from[i], c));
      }
      for (int64_t i = 0; i < size; ++i) {
#pragma GCC unroll 8
        for (int64_t c = 0; c < kChannels; ++c) all[c] += terms[c][i];
      }
    }
  }
  for (int64_t c = 0; c < count; ++c) sums[c] = all[c];
}

HWY_INLINE void keep_statistics(const BatchNorm& shape, const BatchNormForward& call,
                                int64_t channel, float mean, float squares) {
  const int64_t count = shape.images * shape.area;
  const double variance = squares / static_cast<float>(count);
  call.mean[channel] = mean;
  call.inverse[channel] =
      variance != 0 || call.eps != 0 ? static_cast<float>(1 / std::sqrt(variance + call.eps)) : 0;
  if (!call.running_mean) return;
  const auto momentum = static_cast<float>(call.momentum);
  const float rest = 1 - momentum, unbiased = squares / static_cast<float>(count - 1);
  float& running = call.running_variance[channel];  // double, but for what was kept
  running = static_cast<float>(static_cast<double>(momentum) * unbiased +
                               static_cast<double>(rest * running));
  call.running_mean[channel] = momentum * mean + rest * call.running_mean[channel];
}

HWY_INLINE void normalize(const BatchNorm& shape, const BatchNormForward& call, int64_t channel) {
  const float alpha = call.inverse[channel] * (shape.gamma ? shape.gamma[channel] : 1);
  const float offset = call.beta ? call.beta[channel] : 0;
  const F scale = set(alpha), beta = set(std::fma(-call.mean[channel], alpha, offset));
  for (int64_t image = 0; image < shape.images; ++image) {
    const int64_t start = (image * shape.channels + channel) * shape.area;
    sweep(shape.area, [&](auto load, auto store, int64_t at) HWY_ATTR {
      const F y = hn::MulAdd(load(call.x + start + at), scale, beta);
      store(call.relu ? hn::IfThenZeroElse(hn::Lt(y, set(0)), y) : y, call.y + start + at);
    });
  }
}

void batch_norm_exactly(const BatchNorm& shape, const BatchNormForward& call) {
  const auto elements = static_cast<double>(shape.images * shape.area);
  for (int64_t channel = shape.begin; channel < shape.end; channel += kChannels) {
    const int64_t left = shape.end - channel, count = left < kChannels ? left : kChannels;
    double sums[kChannels], squares[kChannels];
    float means[kChannels];
    sum_in_order(
        shape, call.x, channel, count, [](float x, int64_t) { return x; }, sums);
    for (int64_t c = 0; c < count; ++c) means[c] = static_cast<float>(sums[c] / elements);
    const auto distance = [&](float x, int64_t c) { return (x - means[c]) * (x - means[c]); };
    sum_in_order(shape, call.x, channel, count, distance, squares);
    for (int64_t c = 0; c < count; ++c) {
      keep_statistics(shape, call, channel + c, means[c], static_cast<float>(squares[c]));
      normalize(shape, call, channel + c);
    }
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void batch_norm_exactly(const BatchNorm& shape, const BatchNormForward& call) noexcept {
  BROCH_KERNEL(batch_norm_exactly)(shape, call);
}

bool exact_batch_norm_is_here() noexcept { return isa() != Isa::generic; }

}  // namespace broch::kernels
#endif
