// batch_norm_exact.cpp: batch normalization with LibTorch's order of operations.
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

// The number of channels that are summed at once, and of elements that are converted to double at
// once.
constexpr int64_t kChannels = 8, kStretch = 128;

// For the channels [channel, channel + count): the sum of term(x) over the elements, in their
// order.
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
  float& running = call.running_variance[channel];  // in double, except for the part that is kept
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

void batch_norm_exactly(const BatchNorm& shape, const BatchNormForward& call,
                        const BatchNormRange& channels) {
  const auto elements = static_cast<double>(shape.images * shape.area);
  for (int64_t channel = channels.begin; channel < channels.end; channel += kChannels) {
    const int64_t left = channels.end - channel, count = left < kChannels ? left : kChannels;
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

// LibTorch compiles this kernel with vectors of eight for all processors.
constexpr hn::CappedTag<float, 8> kEight;
using F8 = hn::Vec<decltype(kEight)>;
HWY_INLINE int64_t eight() { return static_cast<int64_t>(hn::Lanes(kEight)); }

// Adds the lanes in LibTorch's order (vec_reduce_all): the upper half to the lower until one is
// left; in sequence if there were fewer elements than a vector has lanes.
HWY_INLINE float reduced(F8 value, int64_t count) {
  HWY_ALIGN float lane[8];
  hn::Store(value, kEight, lane);
  if (count < eight()) {
    for (int64_t i = 1; i < count; ++i) lane[0] += lane[i];
    return lane[0];
  }
  for (int64_t half = eight() / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
}

// The gradient dy, or 0 where the fused relu gave 0.
template <class D>
HWY_INLINE hn::Vec<D> gated(D d, hn::Vec<D> dy, hn::Vec<D> y) {
  return hn::IfThenZeroElse(hn::Le(y, hn::Zero(d)), dy);
}

// Adds up one channel of one image: dy, and dy times the distance to the mean.
HWY_INLINE void sum_plane(const BatchNorm& shape, const BatchNormBackward& call, int64_t start,
                          float mean, double& sum, double& product) {
  F8 sums = hn::Zero(kEight), products = hn::Zero(kEight);
  const F8 center = hn::Set(kEight, mean);
  for (int64_t at = 0; at < shape.area; at += eight()) {
    const int64_t left = shape.area - at < eight() ? shape.area - at : eight();
    const auto here = hn::FirstN(kEight, static_cast<size_t>(left));
    const auto read = [&](const float* from) HWY_ATTR {
      return left == eight() ? hn::LoadU(kEight, from + start + at)
                             : hn::MaskedLoad(here, kEight, from + start + at);
    };
    F8 dy = read(call.dy);
    if (call.y) dy = gated(kEight, dy, read(call.y));
    const F8 part = hn::Mul(hn::Sub(read(call.x), center), dy);
    sums = at ? hn::IfThenElse(here, hn::Add(sums, dy), sums) : dy;
    products = at ? hn::IfThenElse(here, hn::Add(products, part), products) : part;
  }
  sum += static_cast<double>(reduced(sums, shape.area));
  product += static_cast<double>(reduced(products, shape.area));
}

void batch_norm_backward_exactly(const BatchNorm& shape, const BatchNormBackward& call,
                                 const BatchNormRange& channels) {
  const int64_t count = shape.images * shape.area;
  for (int64_t channel = channels.begin; channel < channels.end; ++channel) {
    const float center = call.mean[channel], inverse = call.inverse[channel];
    double sum = 0, product = 0;
    for (int64_t image = 0; image < shape.images; ++image) {
      sum_plane(shape, call, (image * shape.channels + channel) * shape.area, center, sum, product);
    }
    const F slope =
        set(static_cast<float>(product) * inverse * inverse / static_cast<float>(count));
    const F mean = set(center), share = set(static_cast<float>(sum / static_cast<double>(count)));
    const F scale = set(inverse), gamma = set(shape.gamma ? shape.gamma[channel] : 1);
    for (int64_t image = 0; image < shape.images; ++image) {
      const int64_t start = (image * shape.channels + channel) * shape.area;
      sweep(shape.area, [&](auto load, auto store, int64_t at) HWY_ATTR {
        const F distance = hn::Sub(load(call.x + start + at), mean);
        F dy = load(call.dy + start + at);
        if (call.y) dy = gated(kFloats, dy, load(call.y + start + at));
        const F rest = hn::Sub(dy, share);
        const F dx = hn::Mul(hn::NegMulAdd(distance, slope, rest), scale);
        store(hn::Mul(dx, gamma), call.dx + start + at);
      });
    }
    if (call.d_gamma) call.d_gamma[channel] = static_cast<float>(product * inverse);
    if (call.d_beta) call.d_beta[channel] = static_cast<float>(sum);
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void batch_norm_exactly(const BatchNorm& shape, const BatchNormForward& call,
                        const BatchNormRange& channels) noexcept {
  BROCH_KERNEL(batch_norm_exactly)(shape, call, channels);
}

void batch_norm_backward_exactly(const BatchNorm& shape, const BatchNormBackward& call,
                                 const BatchNormRange& channels) noexcept {
  BROCH_KERNEL(batch_norm_backward_exactly)(shape, call, channels);
}

bool exact_batch_norm_is_here() noexcept { return isa() != Isa::generic; }

}  // namespace broch::kernels
#endif
