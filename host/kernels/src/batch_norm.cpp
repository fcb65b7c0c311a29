// batch_norm.cpp: normalizes planes by the mean and variance of their channel over a batch.
#include "kernels/batch_norm.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "batch_norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "batch_norm-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE float gamma_of(const BatchNorm& shape, int64_t channel) {
  return shape.gamma ? shape.gamma[channel] : 1;
}

// Calls body(load, store, offset, left) for all vectors of one channel of (images, channels, area),
// and end() after each image.
template <class Body, class End>
HWY_INLINE void over_channel(const BatchNorm& shape, int64_t channel, const Body& body,
                             const End& end) {
  for (int64_t image = 0; image < shape.images; ++image) {
    const int64_t start = (image * shape.channels + channel) * shape.area;
    sweep(shape.area, [&](auto load, auto store, int64_t at)
                          HWY_ATTR { body(load, store, start + at, shape.area - at); });
    end();
  }
}
template <class Body>
HWY_INLINE void over_channel(const BatchNorm& shape, int64_t channel, const Body& body) {
  over_channel(shape, channel, body, [] {});
}

// Adds the float sums of one image to a double. Otherwise, if the mean is large compared to the
// spread, the spread would lose its digits.
HWY_INLINE void settle(F& sums, double& total) {
  total += static_cast<double>(sum_of(sums));
  sums = hn::Zero(kFloats);
}

HWY_INLINE F inside(F value, int64_t left) {
  return left >= lanes()
             ? value
             : hn::IfThenElseZero(hn::FirstN(kFloats, static_cast<size_t>(left)), value);
}

void batch_norm(const BatchNorm& shape, const BatchNormForward& call,
                const BatchNormRange& channels) {
  for (int64_t channel = channels.begin; channel < channels.end; ++channel) {
    F sums = hn::Zero(kFloats), squares = hn::Zero(kFloats);
    double total = 0, all_squares = 0;
    over_channel(
        shape, channel,
        [&](auto load, auto, int64_t at, int64_t)
            HWY_ATTR { sums = hn::Add(sums, load(call.x + at)); },
        [&]() HWY_ATTR { settle(sums, total); });
    const auto mean = static_cast<float>(total / static_cast<double>(shape.pixels()));
    const F center = set(mean);
    over_channel(
        shape, channel,
        [&](auto load, auto, int64_t at, int64_t left) HWY_ATTR {
          const F distance = inside(hn::Sub(load(call.x + at), center), left);
          squares = hn::MulAdd(distance, distance, squares);
        },
        [&]() HWY_ATTR { settle(squares, all_squares); });
    keep_statistics(shape, call, channel, mean, static_cast<float>(all_squares));
    const F scale = set(call.inverse[channel] * gamma_of(shape, channel));
    const F beta = set(call.beta ? call.beta[channel] : 0);
    over_channel(shape, channel, [&](auto load, auto store, int64_t at, int64_t) HWY_ATTR {
      const F normal = hn::Sub(load(call.x + at), center);
      store(rectified(hn::MulAdd(normal, scale, beta), call.relu), call.y + at);
    });
  }
}

void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call,
                         const BatchNormRange& channels) {
  const auto count = static_cast<float>(shape.pixels());
  for (int64_t channel = channels.begin; channel < channels.end; ++channel) {
    const F center = set(call.mean[channel]);
    const F scale = set(call.inverse[channel] * gamma_of(shape, channel));
    const F beta = set(call.beta ? call.beta[channel] : 0);
    const auto output_gradient = [&](auto load, int64_t at, F normal) HWY_ATTR {
      const F dy = load(call.dy + at);
      if (call.relu) return gated(dy, hn::MulAdd(normal, scale, beta));
      return call.y ? gated(dy, load(call.y + at)) : dy;
    };
    F sums = hn::Zero(kFloats), products = hn::Zero(kFloats);
    double total = 0, all_products = 0;
    over_channel(
        shape, channel,
        [&](auto load, auto, int64_t at, int64_t) HWY_ATTR {
          const F normal = hn::Sub(load(call.x + at), center);
          const F dy = output_gradient(load, at, normal);
          sums = hn::Add(sums, dy);
          products = hn::MulAdd(dy, normal, products);
        },
        [&]() HWY_ATTR {
          settle(sums, total);
          settle(products, all_products);
        });
    const float inverse = call.inverse[channel], sum = static_cast<float>(total);
    const float product = static_cast<float>(all_products) * inverse;
    if (call.d_gamma) call.d_gamma[channel] = product;
    if (call.d_beta) call.d_beta[channel] = sum;
    const F mean = set(sum / count), slope = set(product * inverse / count);
    over_channel(shape, channel, [&](auto load, auto store, int64_t at, int64_t) HWY_ATTR {
      const F normal = hn::Sub(load(call.x + at), center);
      const F dy = output_gradient(load, at, normal);
      const F rest = hn::NegMulAdd(normal, slope, hn::Sub(dy, mean));
      store(hn::Mul(scale, rest), call.dx + at);
    });
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void batch_norm(const BatchNorm& shape, const BatchNormForward& call,
                const BatchNormRange& channels) noexcept {
  BROCH_KERNEL(batch_norm)(shape, call, channels);
}

void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call,
                         const BatchNormRange& channels) noexcept {
  BROCH_KERNEL(batch_norm_backward)(shape, call, channels);
}

}  // namespace broch::kernels
#endif
