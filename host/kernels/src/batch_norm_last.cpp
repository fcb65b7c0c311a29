// batch_norm_last.cpp: normalizes pixels by the mean and variance of each channel over a batch.
#include <algorithm>

#include "kernels/batch_norm.hpp"
#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "batch_norm_last.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "batch_norm-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// A band of channels, a few vectors wide, which is processed for a group of pixels.
template <int vectors>
struct Band {
  static constexpr int kVectors = vectors;
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

// Calls body(first pixel, pixels, band) for groups of pixels, and in each for bands of channels, as
// wide as the remaining channels allow. A band of a group fits the first cache.
template <class Body>
HWY_INLINE void over_groups(int64_t channels, const BatchNormRange& pixels, const Body& body) {
  constexpr int64_t kGroup = 64;
  for (int64_t first = pixels.begin; first < pixels.end; first += kGroup) {
    const int64_t count = std::min(kGroup, pixels.end - first);
    int64_t channel = 0;
    for (; channels - channel >= 4 * lanes(); channel += 4 * lanes())
      body(first, count, Band<4>{channel, lanes()});
    for (; channels - channel >= 2 * lanes(); channel += 2 * lanes())
      body(first, count, Band<2>{channel, lanes()});
    for (; channel < channels; channel += lanes())
      body(first, count, Band<1>{channel, std::min(lanes(), channels - channel)});
  }
}

template <int vectors>
HWY_INLINE F scale_of(const Band<vectors>& band, const BatchNorm& shape, const float* inverse,
                      int v) {
  const F spread = band.read(inverse, v);
  return shape.gamma ? hn::Mul(spread, band.read(shape.gamma, v)) : spread;
}

// Groups are combined as by Chan, Golub and LeVeque 1983: here the group of `count` pixels at x
// with the `done` pixels before it.
template <int vectors>
HWY_INLINE void add_moments(const Band<vectors>& band, const float* x, int64_t count, int64_t row,
                            int64_t done, float* means, float* squares) {
  const F share = set(1 / static_cast<float>(count)), before = set(static_cast<float>(done));
  const F weight = set(static_cast<float>(count) / static_cast<float>(done + count));
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
    const F mean = band.read(means, v), apart = hn::Sub(center[v], mean);
    const F moved = hn::Mul(apart, weight);
    band.write(hn::Add(mean, moved), means, v);
    const F more = hn::MulAdd(hn::Mul(apart, moved), before, distances[v]);
    band.write(hn::Add(band.read(squares, v), more), squares, v);
  });
}

void batch_norm_moments(const BatchNorm& shape, const float* x, const BatchNormRange& pixels,
                        float* moments) {
  const int64_t row = shape.channels;
  std::fill_n(moments, 2 * row, 0.0F);
  over_groups(row, pixels, [&](int64_t first, int64_t count, auto band) HWY_ATTR {
    add_moments(band, x + first * row, count, row, first - pixels.begin, moments, moments + row);
  });
}

void batch_norm_statistics(const BatchNorm& shape, const BatchNormForward& call,
                           const BatchNormSums& moments) {
  for (int64_t channel = 0; channel < shape.channels; ++channel) {
    float mean = 0, squares = 0;
    for (int64_t part = 0; part < moments.parts; ++part) {
      const float* const more = moments.of(part, shape.channels) + channel;
      const int64_t done = part * moments.each;
      const int64_t count = std::min(moments.each, shape.pixels() - done);
      const float apart = more[0] - mean;
      const float moved = apart * (static_cast<float>(count) / static_cast<float>(done + count));
      mean += moved;
      squares += more[shape.channels] + apart * moved * static_cast<float>(done);
    }
    keep_statistics(shape, call, channel, mean, squares);
  }
}

void batch_norm_last(const BatchNorm& shape, const BatchNormForward& call,
                     const BatchNormRange& pixels) {
  const int64_t row = shape.channels;
  over_groups(row, pixels, [&](int64_t first, int64_t count, auto band) HWY_ATTR {
    constexpr int kVectors = decltype(band)::kVectors;
    F center[kVectors], scale[kVectors], beta[kVectors];
    band.each([&](int v) HWY_ATTR {
      center[v] = band.read(call.mean, v);
      scale[v] = scale_of(band, shape, call.inverse, v);
      beta[v] = call.beta ? band.read(call.beta, v) : hn::Zero(kFloats);
    });
    for (int64_t i = first; i < first + count; ++i) {
      band.each([&](int v) HWY_ATTR {
        const F normal = hn::Sub(band.read(call.x + i * row, v), center[v]);
        const F y = rectified(hn::MulAdd(normal, scale[v], beta[v]), call.relu);
        band.write(y, call.y + i * row, v);
      });
    }
  });
}

// What the gradients of a band of channels are computed from.
template <int vectors>
struct BackwardBand {
  const Band<vectors>& band;
  const BatchNormBackward& call;
  const int64_t row;
  F center[vectors], scale[vectors], beta[vectors];

  HWY_INLINE BackwardBand(const Band<vectors>& band_, const BatchNorm& shape,
                          const BatchNormBackward& call_)
      : band(band_), call(call_), row(shape.channels) {
    band.each([&](int v) HWY_ATTR {
      center[v] = band.read(call.mean, v);
      scale[v] = scale_of(band, shape, call.inverse, v);
      beta[v] = call.beta ? band.read(call.beta, v) : hn::Zero(kFloats);
    });
  }
  HWY_INLINE F distance(int64_t i, int v) const {
    return hn::Sub(band.read(call.x + i * row, v), center[v]);
  }
  HWY_INLINE F output_gradient(int64_t i, int v) const {
    const F dy = band.read(call.dy + i * row, v);
    if (call.relu) return gated(dy, hn::MulAdd(distance(i, v), scale[v], beta[v]));
    return call.y ? gated(dy, band.read(call.y + i * row, v)) : dy;
  }
};

void batch_norm_gradient_sums(const BatchNorm& shape, const BatchNormBackward& call,
                              const BatchNormRange& pixels, float* all) {
  const int64_t row = shape.channels;
  std::fill_n(all, 2 * row, 0.0F);
  over_groups(row, pixels, [&](int64_t first, int64_t count, auto band) HWY_ATTR {
    constexpr int kVectors = decltype(band)::kVectors;
    const BackwardBand<kVectors> of(band, shape, call);
    F sums[2 * kVectors];
    sum_rows<2 * kVectors>(count, sums, [&](F sum, int64_t i, int s) HWY_ATTR {
      const int v = s % kVectors;
      const F dy = of.output_gradient(first + i, v);
      return s < kVectors ? hn::Add(sum, dy) : hn::MulAdd(dy, of.distance(first + i, v), sum);
    });
    band.each([&](int v) HWY_ATTR {
      band.write(hn::Add(band.read(all, v), sums[v]), all, v);
      band.write(hn::Add(band.read(all + row, v), sums[kVectors + v]), all + row, v);
    });
  });
}

void batch_norm_parameter_gradients(const BatchNorm& shape, const BatchNormBackward& call,
                                    const BatchNormSums& sums) {
  for (int64_t part = 1; part < sums.parts; ++part)
    for (int64_t i = 0; i < 2 * shape.channels; ++i)
      sums.values[i] += sums.of(part, shape.channels)[i];
  for (int64_t channel = 0; channel < shape.channels; ++channel) {
    if (call.d_beta) call.d_beta[channel] = sums.values[channel];
    if (call.d_gamma)
      call.d_gamma[channel] = sums.values[shape.channels + channel] * call.inverse[channel];
  }
}

void batch_norm_last_backward(const BatchNorm& shape, const BatchNormBackward& call,
                              const float* sums, const BatchNormRange& pixels) {
  const int64_t row = shape.channels;
  const F share = set(1 / static_cast<float>(shape.pixels()));
  over_groups(row, pixels, [&](int64_t first, int64_t count, auto band) HWY_ATTR {
    constexpr int kVectors = decltype(band)::kVectors;
    const BackwardBand<kVectors> of(band, shape, call);
    F mean[kVectors], slope[kVectors];
    band.each([&](int v) HWY_ATTR {
      const F inverse = band.read(call.inverse, v);
      const F product = hn::Mul(band.read(sums + row, v), inverse);
      mean[v] = hn::Mul(band.read(sums, v), share);
      slope[v] = hn::Mul(hn::Mul(product, inverse), share);
    });
    for (int64_t i = first; i < first + count; ++i) {
      band.each([&](int v) HWY_ATTR {
        const F dy = hn::Sub(of.output_gradient(i, v), mean[v]);
        const F rest = hn::NegMulAdd(of.distance(i, v), slope[v], dy);
        band.write(hn::Mul(of.scale[v], rest), call.dx + i * row, v);
      });
    }
  });
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void batch_norm_moments(const BatchNorm& shape, const float* x, const BatchNormRange& pixels,
                        float* moments) noexcept {
  BROCH_KERNEL(batch_norm_moments)(shape, x, pixels, moments);
}

void batch_norm_statistics(const BatchNorm& shape, const BatchNormForward& call,
                           const BatchNormSums& moments) noexcept {
  BROCH_KERNEL(batch_norm_statistics)(shape, call, moments);
}

void batch_norm_last(const BatchNorm& shape, const BatchNormForward& call,
                     const BatchNormRange& pixels) noexcept {
  BROCH_KERNEL(batch_norm_last)(shape, call, pixels);
}

void batch_norm_gradient_sums(const BatchNorm& shape, const BatchNormBackward& call,
                              const BatchNormRange& pixels, float* sums) noexcept {
  BROCH_KERNEL(batch_norm_gradient_sums)(shape, call, pixels, sums);
}

void batch_norm_parameter_gradients(const BatchNorm& shape, const BatchNormBackward& call,
                                    const BatchNormSums& sums) noexcept {
  BROCH_KERNEL(batch_norm_parameter_gradients)(shape, call, sums);
}

void batch_norm_last_backward(const BatchNorm& shape, const BatchNormBackward& call,
                              const float* sums, const BatchNormRange& pixels) noexcept {
  BROCH_KERNEL(batch_norm_last_backward)(shape, call, sums, pixels);
}

}  // namespace broch::kernels
#endif
