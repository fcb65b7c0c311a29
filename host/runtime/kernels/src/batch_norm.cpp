// batch_norm.cpp: channels normalised by their mean and variance over a batch.
#include "kernels/batch_norm.hpp"

#include <cmath>

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "batch_norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE int64_t count_of(const BatchNorm& shape) { return shape.images * shape.area; }
HWY_INLINE float gamma_of(const BatchNorm& shape, int64_t channel) {
  return shape.gamma ? shape.gamma[channel] : 1;
}
HWY_INLINE F rectified(F x, bool relu) {
  return relu ? hn::IfThenZeroElse(hn::Lt(x, set(0)), x) : x;
}
// The upstream gradient where a fused rectifier let the value through.
HWY_INLINE F gated(F dy, F y) { return hn::IfThenZeroElse(hn::Le(y, set(0)), dy); }

// From the sums of a channel to what is stored of it.
HWY_INLINE void keep_statistics(const BatchNorm& shape, const BatchNormForward& call,
                                int64_t channel, float mean, float squares) {
  const auto count = static_cast<float>(count_of(shape));
  call.mean[channel] = mean;
  call.inverse[channel] = 1 / std::sqrt(squares / count + call.eps);
  if (!call.running_mean) return;
  const float rest = 1 - call.momentum;
  call.running_mean[channel] = rest * call.running_mean[channel] + call.momentum * mean;
  call.running_variance[channel] =
      rest * call.running_variance[channel] + call.momentum * squares / (count - 1);
}

// body(load, store, offset) over all vectors of one channel, (images, channels, area); after each
// image end().
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

// The float sums of an image go into a double: a mean that is large beside the spread must not cost
// the spread its digits.
HWY_INLINE void settle(F& sums, double& total) {
  total += static_cast<double>(sum_of(sums));
  sums = hn::Zero(kFloats);
}

HWY_INLINE F inside(F value, int64_t left) {
  return left >= lanes()
             ? value
             : hn::IfThenElseZero(hn::FirstN(kFloats, static_cast<size_t>(left)), value);
}

void forward_planes(const BatchNorm& shape, const BatchNormForward& call) {
  for (int64_t channel = shape.begin; channel < shape.end; ++channel) {
    F sums = hn::Zero(kFloats), squares = hn::Zero(kFloats);
    double total = 0, all_squares = 0;
    over_channel(
        shape, channel,
        [&](auto load, auto, int64_t at, int64_t) HWY_ATTR {
          sums = hn::Add(sums, load(call.x + at));
        },
        [&]() HWY_ATTR { settle(sums, total); });
    const auto mean = static_cast<float>(total / static_cast<double>(count_of(shape)));
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

void backward_planes(const BatchNorm& shape, const BatchNormBackward& call) {
  const auto count = static_cast<float>(count_of(shape));
  for (int64_t channel = shape.begin; channel < shape.end; ++channel) {
    const F center = set(call.mean[channel]);
    const auto upstream = [&](auto load, int64_t at) HWY_ATTR {
      const F dy = load(call.dy + at);
      return call.y ? gated(dy, load(call.y + at)) : dy;
    };
    F sums = hn::Zero(kFloats), products = hn::Zero(kFloats);
    double total = 0, all_products = 0;
    over_channel(
        shape, channel,
        [&](auto load, auto, int64_t at, int64_t) HWY_ATTR {
          const F dy = upstream(load, at);
          sums = hn::Add(sums, dy);
          products = hn::MulAdd(dy, hn::Sub(load(call.x + at), center), products);
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
    const F scale = set(inverse * gamma_of(shape, channel));
    over_channel(shape, channel, [&](auto load, auto store, int64_t at, int64_t) HWY_ATTR {
      const F normal = hn::Sub(load(call.x + at), center);
      const F rest = hn::NegMulAdd(normal, slope, hn::Sub(upstream(load, at), mean));
      store(hn::Mul(scale, rest), call.dx + at);
    });
  }
}

// Channels last: one vector of channels runs down all places.
void forward_last(const BatchNorm& shape, const BatchNormForward& call) {
  const int64_t places = count_of(shape), row = shape.channels;
  const F count = set(static_cast<float>(places));
  sweep(shape.end - shape.begin, [&](auto load, auto store, int64_t offset) HWY_ATTR {
    const int64_t channel = shape.begin + offset, left = shape.end - channel;
    F sums = hn::Zero(kFloats), squares = hn::Zero(kFloats);
    for (int64_t i = 0; i < places; ++i) sums = hn::Add(sums, load(call.x + i * row + channel));
    const F center = hn::Div(sums, count);
    for (int64_t i = 0; i < places; ++i) {
      const F distance = hn::Sub(load(call.x + i * row + channel), center);
      squares = hn::MulAdd(distance, distance, squares);
    }
    HWY_ALIGN float means[HWY_MAX_BYTES / 4], all_squares[HWY_MAX_BYTES / 4];
    hn::Store(center, kFloats, means);
    hn::Store(squares, kFloats, all_squares);
    for (int64_t i = 0; i < lanes() && i < left; ++i) {
      keep_statistics(shape, call, channel + i, means[i], all_squares[i]);
    }
    F scale = load(call.inverse + channel);
    if (shape.gamma) scale = hn::Mul(scale, load(shape.gamma + channel));
    const F beta = call.beta ? load(call.beta + channel) : hn::Zero(kFloats);
    for (int64_t i = 0; i < places; ++i) {
      const F normal = hn::Sub(load(call.x + i * row + channel), center);
      store(rectified(hn::MulAdd(normal, scale, beta), call.relu), call.y + i * row + channel);
    }
  });
}

void backward_last(const BatchNorm& shape, const BatchNormBackward& call) {
  const int64_t places = count_of(shape), row = shape.channels;
  const F count = set(static_cast<float>(places));
  sweep(shape.end - shape.begin, [&](auto load, auto store, int64_t offset) HWY_ATTR {
    const int64_t channel = shape.begin + offset;
    const F center = load(call.mean + channel), inverse = load(call.inverse + channel);
    const auto upstream = [&](int64_t at) HWY_ATTR {
      const F dy = load(call.dy + at);
      return call.y ? gated(dy, load(call.y + at)) : dy;
    };
    F sums = hn::Zero(kFloats), products = hn::Zero(kFloats);
    for (int64_t at = channel; at < places * row; at += row) {
      const F dy = upstream(at);
      sums = hn::Add(sums, dy);
      products = hn::MulAdd(dy, hn::Sub(load(call.x + at), center), products);
    }
    products = hn::Mul(products, inverse);
    if (call.d_gamma) store(products, call.d_gamma + channel);
    if (call.d_beta) store(sums, call.d_beta + channel);
    const F mean = hn::Div(sums, count), slope = hn::Div(hn::Mul(products, inverse), count);
    const F scale = shape.gamma ? hn::Mul(inverse, load(shape.gamma + channel)) : inverse;
    for (int64_t at = channel; at < places * row; at += row) {
      const F normal = hn::Sub(load(call.x + at), center);
      const F rest = hn::NegMulAdd(normal, slope, hn::Sub(upstream(at), mean));
      store(hn::Mul(scale, rest), call.dx + at);
    }
  });
}

void batch_norm(const BatchNorm& shape, const BatchNormForward& call) {
  shape.channels_last ? forward_last(shape, call) : forward_planes(shape, call);
}

void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call) {
  shape.channels_last ? backward_last(shape, call) : backward_planes(shape, call);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void batch_norm(const BatchNorm& shape, const BatchNormForward& call) noexcept {
  BROCH_KERNEL(batch_norm)(shape, call);
}

void batch_norm_backward(const BatchNorm& shape, const BatchNormBackward& call) noexcept {
  BROCH_KERNEL(batch_norm_backward)(shape, call);
}

}  // namespace broch::kernels
#endif
