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

// The sums are (places, channels, out_channels), then (out_channels) for the bias.
struct WinogradWeightsParts {
  Isa isa;
  WinogradTiles tiles;
  int64_t out_channels;
  ConvStrides weights;
  int64_t chunk;  // tiles that are added together

  int64_t read_step() const noexcept { return place_step(chunk, tiles.channels); }
  int64_t gradient_step() const noexcept { return place_step(chunk, out_channels); }
  int64_t sum_step() const noexcept { return place_step(tiles.channels, out_channels); }
  int64_t sums_floats() const noexcept { return tiles.places() * sum_step() + out_channels; }
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

// Writes G r G^T for each of the tiles [first, first + count), whose gradients outside of dy are 0.
template <class Method>
void read_gradients(const WinogradWeightsParts& parts, const float* dy, int64_t first,
                    int64_t count, float* to) {
  constexpr int kEdge = Method::kEdge, kReach = Method::kReach;
  const Extent out = parts.tiles.out;
  const int64_t channels = parts.out_channels, place_step = parts.gradient_step();
  for (int64_t t = 0; t < count; ++t, to += channels) {
    const TilePlace place = place_of(parts.tiles, first + t);
    const int64_t height = out.height - place.row, width = out.width - place.column;
    const float* const pixel =
        dy + ((place.image * out.height + place.row) * out.width + place.column) * channels;
    for (int64_t c = 0; c < channels; c += lanes()) {
      F half[kReach * kEdge];
#pragma GCC unroll 4
      for (int j = 0; j < kEdge; ++j) {
        F column[kEdge];
#pragma GCC unroll 4
        for (int i = 0; i < kEdge; ++i) {
          column[i] = i < height && j < width ? load(pixel + (i * out.width + j) * channels + c)
                                              : hn::Zero(kFloats);
        }
        Method::gradients(column, half + j, kEdge);
      }
      const auto along_rows = [](const F* row, F* whole)
                                  HWY_ATTR { Method::gradients(row, whole, 1); };
      store_rows<Method, kEdge>(half, along_rows, to + c, place_step);
    }
  }
}

template <class Method>
void sum_tiles(const WinogradWeightsParts& parts, const float* x, const float* dy,
               const ImageRange& range, float* sums, float* scratch) {
  const int64_t each = parts.tiles.per_image(), begin = range.begin * each, end = range.end * each;
  const int64_t places = parts.tiles.places();
  const int64_t read_step = parts.read_step(), gradient_step = parts.gradient_step();
  float* const gradients = scratch + places * read_step;
  float* const memory = gradients + places * gradient_step;
  for (int64_t first = begin; first < end; first += parts.chunk) {
    const int64_t count = std::min(parts.chunk, end - first);
    read_tiles<Method>(parts.tiles, x, first, count, scratch, read_step);
    read_gradients<Method>(parts, dy, first, count, gradients);
    const GemmPlan product = parts.product(count);
    GemmEpilogue epilogue;
    epilogue.accumulate = first > begin;
    for (int64_t p = 0; p < places; ++p) {
      product.run(scratch + p * read_step, gradients + p * gradient_step,
                  sums + p * parts.sum_step(), epilogue, memory);
    }
  }
  const int64_t pixels = parts.tiles.out.height * parts.tiles.out.width;
  column_sums(dy + range.begin * pixels * parts.out_channels, (range.end - range.begin) * pixels,
              parts.out_channels, parts.out_channels, sums + places * parts.sum_step(), false);
}

// The sums of all threads at one place.
HWY_INLINE F joined(const WinogradWeightsParts& parts, const float* sums, int64_t count) {
  F sum = load(sums);
  for (int64_t other = 1; other < count; ++other)
    sum = hn::Add(sum, load(sums + other * parts.sums_floats()));
  return sum;
}

template <class Method>
void finish_taps(const WinogradWeightsParts& parts, const float* sums, int64_t count,
                 float* d_weights) {
  constexpr int kReach = Method::kReach;
  const ConvStrides& strides = parts.weights;
  for (int64_t k = 0; k < parts.tiles.channels; ++k) {
    for (int64_t n = 0; n < parts.out_channels; n += lanes()) {
      const float* const from = sums + k * parts.out_channels + n;
      F half[3 * kReach];
#pragma GCC unroll 6
      for (int j = 0; j < kReach; ++j) {
        F column[kReach];
#pragma GCC unroll 6
        for (int i = 0; i < kReach; ++i)
          column[i] = joined(parts, from + (i * kReach + j) * parts.sum_step(), count);
        Method::taps(column, half + j, kReach);
      }
      HWY_ALIGN float taps[9][HWY_MAX_BYTES / 4];
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        F row[3];
        Method::taps(half + i * kReach, row, 1);
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) store(row[j], taps[i * 3 + j]);
      }
      for (int64_t lane = 0; lane < lanes(); ++lane) {
        float* const to = d_weights + (n + lane) * strides.first + k * strides.channel;
        for (int64_t i = 0; i < 3; ++i)
          for (int64_t j = 0; j < 3; ++j)
            to[i * strides.row + j * strides.column] = taps[i * 3 + j][lane];
      }
    }
  }
}

void sum_winograd(const WinogradWeightsParts& parts, const float* x, const float* dy,
                  const ImageRange& range, float* sums, float* scratch) {
  (parts.tiles.edge == 2 ? sum_tiles<TwoByTwo> : sum_tiles<FourByFour>)(parts, x, dy, range, sums,
                                                                        scratch);
}

void finish_winograd(const WinogradWeightsParts& parts, const float* sums, int64_t count,
                     float* d_weights, float* d_bias) {
  (parts.tiles.edge == 2 ? finish_taps<TwoByTwo> : finish_taps<FourByFour>)(parts, sums, count,
                                                                            d_weights);
  if (!d_bias) return;
  for (int64_t n = 0; n < parts.out_channels; n += lanes())
    store(joined(parts, sums + parts.tiles.places() * parts.sum_step() + n, count), d_bias + n);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

WinogradWeightsPlan::WinogradWeightsPlan(const ConvShape& shape, WinogradEdge edge) {
  WinogradTiles tiles = winograd_tiles_of(
      shape, winograd_edge(edge, shape.images, shape.out(), kGradientTilesPerWeight));
  const int64_t chunk = tiles_together(tiles.edge, shape.channels, shape.out_channels);
  parts_ = std::make_shared<const WinogradWeightsParts>(
      WinogradWeightsParts{isa(), std::move(tiles), shape.out_channels, shape.weights, chunk});
}

int64_t WinogradWeightsPlan::sums_size() const noexcept { return parts_->sums_floats(); }

int64_t WinogradWeightsPlan::scratch_size() const noexcept {
  return parts_->tiles.places() * (parts_->read_step() + parts_->gradient_step()) +
         gemm_panel_size(parts_->chunk);
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
