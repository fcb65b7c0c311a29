// depthwise.cpp: convolutions of single channels. A vector holds neighboring channels of a pixel.
#include "kernels/depthwise.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "depthwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

#ifndef BROCH_KERNELS_DEPTHWISE_PARTS
#define BROCH_KERNELS_DEPTHWISE_PARTS
namespace broch::kernels {

// What a row or column of a result is computed from.
struct DepthwiseRead {
  int64_t tap, at;
};
using DepthwiseAxis = std::vector<std::vector<DepthwiseRead>>;  // by row or column of the result

struct DepthwiseParts {
  Isa isa;
  DepthwiseShape shape;
  DepthwiseAxis rows, columns;            // of y from x
  DepthwiseAxis back_rows, back_columns;  // of dx from dy
};

// One direction: where images are read and written.
struct DepthwisePass {
  const DepthwiseAxis &rows, &columns;
  Extent from_size, to_size;
  const float *from, *packed;
  float* to;
};

}  // namespace broch::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// How many vectors of channels are computed together: this hides the latency of the sums.
constexpr int kVectors = 4;

// Computes all images of the range for some vectors of channels, of which `channel` is the first.
template <int vectors, class Load, class Store>
HWY_INLINE void channels_of(const DepthwiseShape& shape, const DepthwisePass& pass,
                            const ConvEpilogue& epilogue, const ImageRange& range, int64_t channel,
                            const Load& get, const Store& put) {
  const int64_t step = shape.channels, width = shape.kernel.width;
  const int64_t from_row = pass.from_size.width * step;
  F bias[vectors];
  for (int v = 0; v < vectors; ++v) {
    bias[v] = epilogue.bias ? get(epilogue.bias + channel + v * lanes()) : hn::Zero(kFloats);
  }
  for (int64_t image = range.begin; image < range.end; ++image) {
    const float* const from = pass.from + image * pass.from_size.height * from_row + channel;
    int64_t at = image * pass.to_size.height * pass.to_size.width * step + channel;
    for (const auto& rows : pass.rows) {
      for (const auto& columns : pass.columns) {
        F sums[vectors];
        for (F& sum : sums) sum = hn::Zero(kFloats);
        for (const DepthwiseRead& row : rows) {
          const float* const line = from + row.at * from_row;
          const float* const weights = pass.packed + row.tap * width * step + channel;
          for (const DepthwiseRead& column : columns) {
            const float *const x = line + column.at * step, *const w = weights + column.tap * step;
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
              sums[v] = hn::MulAdd(get(x + v * lanes()), get(w + v * lanes()), sums[v]);
          }
        }
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          const int64_t to = at + v * lanes();
          F sum = sums[v];
          if (epilogue.accumulate) sum = hn::Add(sum, get(pass.to + to));
          sum = hn::Add(sum, bias[v]);
          if (epilogue.relu) sum = hn::IfThenZeroElse(hn::Lt(sum, set(0)), sum);
          if (epilogue.gate) sum = hn::IfThenZeroElse(hn::Le(get(epilogue.gate + to), set(0)), sum);
          put(sum, pass.to + to);
        }
        at += step;
      }
    }
  }
}

// Calls body(count of vectors, load, store, channel) for the channels [begin, end).
template <class Body>
HWY_INLINE void over_channels(int64_t begin, int64_t end, const Body& body) {
  for (; begin + kVectors * lanes() <= end; begin += kVectors * lanes()) {
    body(
        std::integral_constant<int, kVectors>(),
        [](const float* from) HWY_ATTR { return load(from); },
        [](F value, float* to) HWY_ATTR { store(value, to); }, begin);
  }
  sweep(end - begin, [&](auto get, auto put, int64_t at) HWY_ATTR {
    body(std::integral_constant<int, 1>(), get, put, begin + at);
  });
}

void run_depthwise(const DepthwiseShape& shape, const DepthwisePass& pass,
                   const ConvEpilogue& epilogue, const ImageRange& range) {
  over_channels(0, shape.channels, [&](auto vectors, auto get, auto put, int64_t channel) HWY_ATTR {
    channels_of<vectors()>(shape, pass, epilogue, range, channel, get, put);
  });
}

// The sums of one image are added to the others afterwards, which keeps rounding errors small.
template <int vectors, class Load>
HWY_INLINE void weights_of(const DepthwiseParts& parts, const float* x, const float* dy,
                           int64_t channel, int64_t count, float* d_weights, const Load& get) {
  const DepthwiseShape& shape = parts.shape;
  const Extent out = shape.out();
  const int64_t step = shape.channels, width = shape.kernel.width, all = vectors * lanes();
  const int64_t taps = shape.kernel.height * width, x_row = shape.image.width * step;
  HWY_ALIGN float image_sums[DepthwisePlan::kMostTaps * vectors * HWY_MAX_BYTES / 4];
  HWY_ALIGN float sums[DepthwisePlan::kMostTaps * vectors * HWY_MAX_BYTES / 4];
  for (int64_t at = 0; at < taps * all; at += lanes()) store(hn::Zero(kFloats), sums + at);
  for (int64_t image = 0; image < shape.images; ++image) {
    const float* const from = x + image * shape.image.height * x_row + channel;
    const float* gradient = dy + image * out.height * out.width * step + channel;
    for (int64_t at = 0; at < taps * all; at += lanes()) store(hn::Zero(kFloats), image_sums + at);
    for (const auto& rows : parts.rows) {
      for (const auto& columns : parts.columns) {
        F factors[vectors];
        for (int v = 0; v < vectors; ++v) factors[v] = get(gradient + v * lanes());
        gradient += step;
        for (const DepthwiseRead& row : rows) {
          const float* const line = from + row.at * x_row;
          float* const to = image_sums + row.tap * width * all;
          for (const DepthwiseRead& column : columns) {
            const float* const read = line + column.at * step;
            float* const sum = to + column.tap * all;
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
              const int64_t at = v * lanes();
              store(hn::MulAdd(factors[v], get(read + at), load(sum + at)), sum + at);
            }
          }
        }
      }
    }
    for (int64_t at = 0; at < taps * all; at += lanes())
      store(hn::Add(load(sums + at), load(image_sums + at)), sums + at);
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t tap = 0; tap < taps; ++tap)
      d_weights[(channel + i) * taps + tap] = sums[tap * all + i];
  }
}

void depthwise_weights(const DepthwiseParts& parts, const float* x, const float* dy, int64_t begin,
                       int64_t end, float* d_weights) {
  over_channels(begin, end, [&](auto vectors, auto get, auto, int64_t channel) HWY_ATTR {
    const int64_t count = std::min(end - channel, vectors() * lanes());
    weights_of<vectors()>(parts, x, dy, channel, count, d_weights, get);
  });
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {
namespace {

DepthwiseAxis forward_axis(int64_t size, int64_t out, int64_t kernel, int64_t stride,
                           int64_t padding, int64_t dilation) {
  DepthwiseAxis axis(static_cast<size_t>(out));
  for (int64_t result = 0; result < out; ++result) {
    for (int64_t tap = 0; tap < kernel; ++tap) {
      const int64_t at = result * stride + tap * dilation - padding;
      if (at >= 0 && at < size) axis[static_cast<size_t>(result)].push_back({tap, at});
    }
  }
  return axis;
}

DepthwiseAxis reversed(const DepthwiseAxis& axis, int64_t size) {
  DepthwiseAxis back(static_cast<size_t>(size));
  for (size_t result = 0; result < axis.size(); ++result) {
    for (const auto& [tap, at] : axis[result])
      back[static_cast<size_t>(at)].push_back({tap, static_cast<int64_t>(result)});
  }
  return back;
}

}  // namespace

DepthwisePlan::DepthwisePlan(const DepthwiseShape& shape) {
  const Extent out = shape.out();
  DepthwiseParts parts{isa(), shape, {}, {}, {}, {}};
  parts.rows = forward_axis(shape.image.height, out.height, shape.kernel.height,
                            shape.stride.height, shape.padding.height, shape.dilation.height);
  parts.columns = forward_axis(shape.image.width, out.width, shape.kernel.width, shape.stride.width,
                               shape.padding.width, shape.dilation.width);
  parts.back_rows = reversed(parts.rows, shape.image.height);
  parts.back_columns = reversed(parts.columns, shape.image.width);
  parts_ = std::make_shared<const DepthwiseParts>(std::move(parts));
}

int64_t DepthwisePlan::packed_size() const noexcept {
  return parts_->shape.channels * parts_->shape.kernel.height * parts_->shape.kernel.width;
}

void DepthwisePlan::pack(const float* weights, float* packed) const noexcept {
  const int64_t channels = parts_->shape.channels;
  const int64_t taps = parts_->shape.kernel.height * parts_->shape.kernel.width;
  for (int64_t tap = 0; tap < taps; ++tap) {
    for (int64_t channel = 0; channel < channels; ++channel)
      packed[tap * channels + channel] = weights[channel * taps + tap];
  }
}

void DepthwisePlan::forward(const float* x, const float* packed, float* y,
                            const ConvEpilogue& epilogue, const ImageRange& range) const noexcept {
  const DepthwiseShape& shape = parts_->shape;
  const DepthwisePass pass{parts_->rows, parts_->columns, shape.image, shape.out(), x, packed, y};
  BROCH_KERNEL_FOR(parts_->isa, run_depthwise)(shape, pass, epilogue, range);
}

void DepthwisePlan::backward_input(const float* dy, const float* packed, float* dx,
                                   const ConvEpilogue& epilogue,
                                   const ImageRange& range) const noexcept {
  const DepthwiseShape& shape = parts_->shape;
  const DepthwisePass pass{
      parts_->back_rows, parts_->back_columns, shape.out(), shape.image, dy, packed, dx};
  BROCH_KERNEL_FOR(parts_->isa, run_depthwise)(shape, pass, epilogue, range);
}

void DepthwisePlan::backward_weights(const float* x, const float* dy, int64_t begin, int64_t end,
                                     float* d_weights) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, depthwise_weights)(*parts_, x, dy, begin, end, d_weights);
}

}  // namespace broch::kernels
#endif
