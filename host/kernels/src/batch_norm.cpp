// batch_norm.cpp: normalises channels by their mean and variance over a batch.
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
// The gradient dy, or 0 where the fused relu gave 0.
HWY_INLINE F gated(F dy, F y) { return hn::IfThenZeroElse(hn::Le(y, set(0)), dy); }

// Stores the statistics of a channel. `squares` is the sum of squared distances to the mean.
HWY_INLINE void keep_statistics(const BatchNorm& shape, const BatchNormForward& call,
                                int64_t channel, float mean, float squares) {
  const auto count = static_cast<float>(count_of(shape));
  call.mean[channel] = mean;
  call.inverse[channel] = 1 / std::sqrt(squares / count + static_cast<float>(call.eps));
  if (!call.running_mean) return;
  const auto momentum = static_cast<float>(call.momentum);
  const float rest = 1 - momentum;
  call.running_mean[channel] = rest * call.running_mean[channel] + momentum * mean;
  call.running_variance[channel] =
      rest * call.running_variance[channel] + momentum * squares / (count - 1);
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

void forward_planes(const BatchNorm& shape, const BatchNormForward& call) {
  for (int64_t channel = shape.begin; channel < shape.end; ++channel) {
    F sums = hn::Zero(kFloats), squares = hn::Zero(kFloats);
    double total = 0, all_squares = 0;
    over_channel(
        shape, channel,
        [&](auto load, auto, int64_t at, int64_t)
            HWY_ATTR { sums = hn::Add(sums, load(call.x + at)); },
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
    const auto output_gradient = [&](auto load, int64_t at) HWY_ATTR {
      const F dy = load(call.dy + at);
      return call.y ? gated(dy, load(call.y + at)) : dy;
    };
    F sums = hn::Zero(kFloats), products = hn::Zero(kFloats);
    double total = 0, all_products = 0;
    over_channel(
        shape, channel,
        [&](auto load, auto, int64_t at, int64_t) HWY_ATTR {
          const F dy = output_gradient(load, at);
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
      const F rest = hn::NegMulAdd(normal, slope, hn::Sub(output_gradient(load, at), mean));
      store(hn::Mul(scale, rest), call.dx + at);
    });
  }
}

// For channels last: a band of channels, a few vectors wide, which is processed for all pixels.
template <int vectors>
struct Band {
  int64_t channel, last;  // the first channel; the number of channels in the last vector

  HWY_INLINE F read(const float* row, int v) const {
    const float* const from = row + channel + v * lanes();
    return v + 1 < vectors ? load(from) : load_part(from, last);
  }
  HWY_INLINE void write(F value, float* row, int v) const {
    float* const to = row + channel + v * lanes();
    v + 1 < vectors ? store(value, to) : store_part(value, to, last);
  }
  // Calls body(v) for each vector.
  template <class Body>
  static HWY_INLINE void each(const Body& body) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) body(v);
  }
};

// out[v] = the sum over all rows, where step(sum, row, v) adds one row. Several sums run in
// parallel, so that an addition need not wait for the one before.
template <int sums, class Step>
HWY_INLINE void sum_rows(int64_t rows, F* out, const Step& step) {
  constexpr int kChains = sums < 4 ? 4 / sums : 1;
  F chains[kChains][sums];
  for (auto& chain : chains)
    Band<sums>::each([&](int v) HWY_ATTR { chain[v] = hn::Zero(kFloats); });
  int64_t i = 0;
  for (; i + kChains <= rows; i += kChains) {
#pragma GCC unroll 4
    for (int c = 0; c < kChains; ++c) {
      Band<sums>::each([&](int v) HWY_ATTR { chains[c][v] = step(chains[c][v], i + c, v); });
    }
  }
  for (; i < rows; ++i) {
    Band<sums>::each([&](int v) HWY_ATTR { chains[0][v] = step(chains[0][v], i, v); });
  }
  Band<sums>::each([&](int v) HWY_ATTR {
    out[v] = chains[0][v];
    for (int c = 1; c < kChains; ++c) out[v] = hn::Add(out[v], chains[c][v]);
  });
}

// Means and sums of squared distances to them. They are combined from groups of rows that fit the
// first cache (Chan, Golub and LeVeque 1983).
template <int vectors>
HWY_INLINE void moments(const Band<vectors>& band, const float* x, int64_t places, int64_t row,
                        F* mean, F* squares) {
  constexpr int64_t kGroup = 64;
  band.each([&](int v) HWY_ATTR { mean[v] = squares[v] = hn::Zero(kFloats); });
  for (int64_t done = 0; done < places; done += kGroup, x += kGroup * row) {
    const int64_t count = places - done < kGroup ? places - done : kGroup;
    const F share = set(1 / static_cast<float>(count));
    const F weight = set(static_cast<float>(count) / static_cast<float>(done + count));
    const F before = set(static_cast<float>(done));
    F center[vectors], distances[vectors];
    sum_rows<vectors>(count, center, [=](F sum, int64_t i, int v) HWY_ATTR {
      return hn::Add(sum, band.read(x + i * row, v));
    });
    band.each([&](int v) HWY_ATTR { center[v] = hn::Mul(center[v], share); });
    sum_rows<vectors>(count, distances, [=](F sum, int64_t i, int v) HWY_ATTR {
      const F distance = hn::Sub(band.read(x + i * row, v), center[v]);
      return hn::MulAdd(distance, distance, sum);
    });
    band.each([&](int v) HWY_ATTR {
      const F apart = hn::Sub(center[v], mean[v]), moved = hn::Mul(apart, weight);
      mean[v] = hn::Add(mean[v], moved);
      squares[v] = hn::Add(squares[v], hn::MulAdd(hn::Mul(apart, moved), before, distances[v]));
    });
  }
}

template <int vectors>
void forward_band(const BatchNorm& shape, const BatchNormForward& call, int64_t channel,
                  int64_t channels) {
  const Band<vectors> band{channel, channels - (vectors - 1) * lanes()};
  const int64_t places = count_of(shape), row = shape.channels;
  F center[vectors], squares[vectors], scale[vectors], beta[vectors];
  moments(band, call.x, places, row, center, squares);
  HWY_ALIGN float sums[2][vectors * HWY_MAX_BYTES / 4] = {};
  band.each([&](int v) HWY_ATTR {
    hn::Store(center[v], kFloats, sums[0] + v * lanes());
    hn::Store(squares[v], kFloats, sums[1] + v * lanes());
  });
  for (int64_t i = 0; i < channels; ++i) {
    keep_statistics(shape, call, channel + i, sums[0][i], sums[1][i]);
  }
  band.each([&](int v) HWY_ATTR {
    scale[v] = band.read(call.inverse, v);
    if (shape.gamma) scale[v] = hn::Mul(scale[v], band.read(shape.gamma, v));
    beta[v] = call.beta ? band.read(call.beta, v) : hn::Zero(kFloats);
  });
  for (int64_t i = 0; i < places; ++i) {
    band.each([&](int v) HWY_ATTR {
      const F normal = hn::Sub(band.read(call.x + i * row, v), center[v]);
      const F y = rectified(hn::MulAdd(normal, scale[v], beta[v]), call.relu);
      band.write(y, call.y + i * row, v);
    });
  }
}

template <int vectors>
void backward_band(const BatchNorm& shape, const BatchNormBackward& call, int64_t channel,
                   int64_t channels) {
  const Band<vectors> band{channel, channels - (vectors - 1) * lanes()};
  const int64_t places = count_of(shape), row = shape.channels;
  const F share = set(1 / static_cast<float>(places));
  const auto output_gradient = [&](int64_t i, int v) HWY_ATTR {
    const F dy = band.read(call.dy + i * row, v);
    return call.y ? gated(dy, band.read(call.y + i * row, v)) : dy;
  };
  F center[vectors], sums[2 * vectors], mean[vectors], slope[vectors], scale[vectors];
  band.each([&](int v) HWY_ATTR { center[v] = band.read(call.mean, v); });
  sum_rows<2 * vectors>(places, sums, [&](F sum, int64_t i, int s) HWY_ATTR {
    const int v = s % vectors;
    if (s < vectors) return hn::Add(sum, output_gradient(i, v));
    return hn::MulAdd(output_gradient(i, v), hn::Sub(band.read(call.x + i * row, v), center[v]),
                      sum);
  });
  band.each([&](int v) HWY_ATTR {
    const F inverse = band.read(call.inverse, v);
    const F product = hn::Mul(sums[vectors + v], inverse);
    if (call.d_gamma) band.write(product, call.d_gamma, v);
    if (call.d_beta) band.write(sums[v], call.d_beta, v);
    mean[v] = hn::Mul(sums[v], share);
    slope[v] = hn::Mul(hn::Mul(product, inverse), share);
    scale[v] = shape.gamma ? hn::Mul(inverse, band.read(shape.gamma, v)) : inverse;
  });
  for (int64_t i = 0; i < places; ++i) {
    band.each([&](int v) HWY_ATTR {
      const F normal = hn::Sub(band.read(call.x + i * row, v), center[v]);
      const F rest = hn::NegMulAdd(normal, slope[v], hn::Sub(output_gradient(i, v), mean[v]));
      band.write(hn::Mul(scale[v], rest), call.dx + i * row, v);
    });
  }
}

// Calls body(first channel, channels, vectors) for bands that are as wide as the remaining channels
// allow.
template <class Body>
HWY_INLINE void over_bands(const BatchNorm& shape, const Body& body) {
  for (int64_t channel = shape.begin; channel < shape.end;) {
    const int64_t left = shape.end - channel;
    const int64_t vectors = left >= 4 * lanes() ? 4 : left >= 2 * lanes() ? 2 : 1;
    const int64_t channels = left < vectors * lanes() ? left : vectors * lanes();
    body(channel, channels, vectors);
    channel += channels;
  }
}

void forward_last(const BatchNorm& shape, const BatchNormForward& call) {
  over_bands(shape, [&](int64_t channel, int64_t channels, int64_t vectors) {
    const auto band = vectors == 4   ? forward_band<4>
                      : vectors == 2 ? forward_band<2>
                                     : forward_band<1>;
    band(shape, call, channel, channels);
  });
}

void backward_last(const BatchNorm& shape, const BatchNormBackward& call) {
  over_bands(shape, [&](int64_t channel, int64_t channels, int64_t vectors) {
    const auto band = vectors == 4   ? backward_band<4>
                      : vectors == 2 ? backward_band<2>
                                     : backward_band<1>;
    band(shape, call, channel, channels);
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
