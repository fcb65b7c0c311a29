// winograd_weights.cpp: gradients of the weights and bias of convolutions, by tiles.
#include <memory>

#include "gemm_call.hpp"
#include "kernels/winograd.hpp"
#include "targets.hpp"
#include "winograd_tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "winograd_weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "winograd_tiles-inl.hpp"

#ifndef BROCH_KERNELS_WINOGRAD_WEIGHTS_PARTS
#define BROCH_KERNELS_WINOGRAD_WEIGHTS_PARTS
namespace broch::kernels {

// The sums are (16, channels, out_channels), then (out_channels) for the bias.
struct WinogradWeightsParts {
  Isa isa;
  WinogradTiles tiles;
  int64_t out_channels;
  ConvStrides weights;
  int64_t chunk;  // tiles that are added together

  int64_t read_step() const noexcept { return place_step(chunk, tiles.channels); }
  int64_t gradient_step() const noexcept { return place_step(chunk, out_channels); }
  int64_t place_floats() const noexcept { return tiles.channels * out_channels; }
  int64_t sums_floats() const noexcept { return kPlaces * place_floats() + out_channels; }
  // Of `count` tiles.
  GemmPlan product(int64_t count) const noexcept {
    return GemmPlan({tiles.channels,
                     out_channels,
                     count,
                     {1, tiles.channels},
                     {out_channels, 1},
                     out_channels});
  }
};

}  // namespace broch::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// G times a column of two.
HWY_INLINE void transform_gradients(F a, F b, F* to, int step) {
  const F one = hn::Mul(set(0.5F), a), other = hn::Mul(set(0.5F), b);
  to[0] = a;
  to[step] = hn::Add(one, other);
  to[2 * step] = hn::Sub(one, other);
  to[3 * step] = b;
}

// Writes G r G^T for each of the tiles [first, first + count), whose gradients outside of dy are 0.
void read_gradients(const WinogradWeightsParts& parts, const float* dy, int64_t first,
                    int64_t count, float* to) {
  const Extent out = parts.tiles.out;
  const int64_t channels = parts.out_channels, place_step = parts.gradient_step();
  for (int64_t t = 0; t < count; ++t, to += channels) {
    const TilePlace place = place_of(parts.tiles, first + t);
    const float* const pixel =
        dy + ((place.image * out.height + place.row) * out.width + place.column) * channels;
    const bool below = place.row + 1 < out.height, right = place.column + 1 < out.width;
    for (int64_t c = 0; c < channels; c += lanes()) {
      const F zero = hn::Zero(kFloats);
      const float* const at = pixel + c;
      F half[8];
      transform_gradients(load(at), below ? load(at + out.width * channels) : zero, half, 2);
      transform_gradients(right ? load(at + channels) : zero,
                          right && below ? load(at + (out.width + 1) * channels) : zero, half + 1,
                          2);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        F whole[4];
        transform_gradients(half[i * 2], half[i * 2 + 1], whole, 1);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) store(whole[j], to + (i * 4 + j) * place_step + c);
      }
    }
  }
}

void sum_winograd(const WinogradWeightsParts& parts, const float* x, const float* dy,
                  const ImageRange& range, float* sums, float* scratch) {
  const int64_t each = parts.tiles.per_image(), begin = range.begin * each, end = range.end * each;
  const int64_t read_step = parts.read_step(), gradient_step = parts.gradient_step();
  float* const gradients = scratch + kPlaces * read_step;
  float* const memory = gradients + kPlaces * gradient_step;
  for (int64_t first = begin; first < end; first += parts.chunk) {
    const int64_t count = std::min(parts.chunk, end - first);
    read_tiles(parts.tiles, x, first, count, scratch, read_step);
    read_gradients(parts, dy, first, count, gradients);
    const GemmPlan product = parts.product(count);
    GemmEpilogue epilogue;
    epilogue.accumulate = first > begin;
    for (int64_t p = 0; p < kPlaces; ++p) {
      product.run(scratch + p * read_step, gradients + p * gradient_step,
                  sums + p * parts.place_floats(), epilogue, memory);
    }
  }
  const int64_t pixels = parts.tiles.out.height * parts.tiles.out.width;
  column_sums(dy + range.begin * pixels * parts.out_channels, (range.end - range.begin) * pixels,
              parts.out_channels, parts.out_channels, sums + kPlaces * parts.place_floats(), false);
}

// A^T times a column of four.
HWY_INLINE void transform_taps(F a, F b, F c, F d, F* to, int step) {
  const F both = hn::Add(b, c);
  to[0] = hn::Add(a, both);
  to[step] = hn::Sub(b, c);
  to[2 * step] = hn::Sub(both, d);
}

// The sums of all threads at one place.
HWY_INLINE F joined(const WinogradWeightsParts& parts, const float* sums, int64_t count) {
  F sum = load(sums);
  for (int64_t other = 1; other < count; ++other)
    sum = hn::Add(sum, load(sums + other * parts.sums_floats()));
  return sum;
}

void finish_winograd(const WinogradWeightsParts& parts, const float* sums, int64_t count,
                     float* d_weights, float* d_bias) {
  const ConvStrides& strides = parts.weights;
  for (int64_t k = 0; k < parts.tiles.channels; ++k) {
    for (int64_t n = 0; n < parts.out_channels; n += lanes()) {
      const float* const from = sums + k * parts.out_channels + n;
      F half[12];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const auto at = [&](int i) HWY_ATTR {
          return joined(parts, from + (i * 4 + j) * parts.place_floats(), count);
        };
        transform_taps(at(0), at(1), at(2), at(3), half + j, 4);
      }
      HWY_ALIGN float taps[9][HWY_MAX_BYTES / 4];
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        F whole[3];
        transform_taps(half[i * 4], half[i * 4 + 1], half[i * 4 + 2], half[i * 4 + 3], whole, 1);
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) store(whole[j], taps[i * 3 + j]);
      }
      for (int64_t lane = 0; lane < lanes(); ++lane) {
        float* const to = d_weights + (n + lane) * strides.first + k * strides.channel;
        for (int64_t i = 0; i < 3; ++i)
          for (int64_t j = 0; j < 3; ++j)
            to[i * strides.row + j * strides.column] = taps[i * 3 + j][lane];
      }
    }
  }
  if (!d_bias) return;
  for (int64_t n = 0; n < parts.out_channels; n += lanes())
    store(joined(parts, sums + kPlaces * parts.place_floats() + n, count), d_bias + n);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

WinogradWeightsPlan::WinogradWeightsPlan(const ConvShape& shape)
    : parts_(std::make_shared<const WinogradWeightsParts>(
          WinogradWeightsParts{isa(), winograd_tiles_of(shape), shape.out_channels, shape.weights,
                               tiles_together(shape.channels, shape.out_channels)})) {}

int64_t WinogradWeightsPlan::sums_size() const noexcept { return parts_->sums_floats(); }

int64_t WinogradWeightsPlan::scratch_size() const noexcept {
  return kPlaces * (parts_->read_step() + parts_->gradient_step()) + gemm_panel_size(parts_->chunk);
}

void WinogradWeightsPlan::run(const float* x, const float* dy, const ImageRange& range, float* sums,
                              float* scratch) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, sum_winograd)(*parts_, x, dy, range, sums, scratch);
}

void WinogradWeightsPlan::finish(const float* sums, int64_t count, float* d_weights,
                                 float* d_bias) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, finish_winograd)(*parts_, sums, count, d_weights, d_bias);
}

}  // namespace broch::kernels
#endif
