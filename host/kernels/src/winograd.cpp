// winograd.cpp: results of convolutions and gradients of their inputs, by tiles.
#include "kernels/winograd.hpp"

#include "gemm_call.hpp"
#include "targets.hpp"
#include "winograd_tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "winograd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "winograd_tiles-inl.hpp"

#ifndef BROCH_KERNELS_WINOGRAD_PARTS
#define BROCH_KERNELS_WINOGRAD_PARTS
namespace broch::kernels {

struct WinogradParts {
  Isa isa;
  WinogradTiles tiles;
  int64_t out_channels;
  // Of the weights: from one channel of the result to the next, and of what is read; taps count
  // from `start`, which is the last one if they are turned around.
  ConvStrides weights;
  int64_t start;
  int64_t chunk;  // tiles that are computed together
  PackedGemmPlan product;

  int64_t read_step() const noexcept { return place_step(chunk, tiles.channels); }
  int64_t sum_step() const noexcept { return place_step(chunk, out_channels); }
  int64_t packed_step() const noexcept { return place_step(1, product.packed_size()); }
};

}  // namespace broch::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE F finished(F sum, const ConvEpilogue& epilogue, int64_t channel, const float* to,
                      int64_t at) {
  if (epilogue.accumulate) sum = hn::Add(sum, load(to + at));
  if (epilogue.bias) sum = hn::Add(sum, load(epilogue.bias + channel));
  if (epilogue.relu) sum = hn::IfThenZeroElse(hn::Lt(sum, set(0)), sum);
  if (epilogue.gate) sum = hn::IfThenZeroElse(hn::Le(load(epilogue.gate + at), set(0)), sum);
  return sum;
}

// Writes the pixels of the tiles [first, first + count): A^T m A.
template <class Method>
void write_tiles(const WinogradParts& parts, const float* sums, int64_t first, int64_t count,
                 float* to, const ConvEpilogue& epilogue) {
  constexpr int kEdge = Method::kEdge, kReach = Method::kReach;
  const Extent out = parts.tiles.out;
  const int64_t channels = parts.out_channels, step = parts.sum_step();
  for (int64_t t = 0; t < count; ++t, sums += channels) {
    const TilePlace place = place_of(parts.tiles, first + t);
    const int64_t height = std::min<int64_t>(kEdge, out.height - place.row);
    const int64_t width = std::min<int64_t>(kEdge, out.width - place.column);
    const int64_t pixel =
        ((place.image * out.height + place.row) * out.width + place.column) * channels;
    for (int64_t c = 0; c < channels; c += lanes()) {
      F half[kEdge * kReach];
#pragma GCC unroll 6
      for (int j = 0; j < kReach; ++j) {
        F column[kReach];
#pragma GCC unroll 6
        for (int i = 0; i < kReach; ++i) column[i] = load(sums + (i * kReach + j) * step + c);
        Method::sums(column, half + j, kReach);
      }
#pragma GCC unroll 4
      for (int i = 0; i < kEdge; ++i) {
        if (i >= height) break;
        F row[kEdge];
        Method::sums(half + i * kReach, row, 1);
#pragma GCC unroll 4
        for (int j = 0; j < kEdge; ++j) {
          if (j >= width) break;
          const int64_t at = pixel + (i * out.width + j) * channels + c;
          store(finished(row[j], epilogue, c, to, at), to + at);
        }
      }
    }
  }
}

template <class Method>
void run_tiles(const WinogradParts& parts, const float* from, const float* packed, float* to,
               const ConvEpilogue& epilogue, const PieceRange& range, float* scratch) {
  const int64_t each = parts.tiles.tiles().width, end = range.end * each;
  const int64_t places = parts.tiles.places();
  const int64_t read_step = parts.read_step(), sum_step = parts.sum_step();
  float* const sums = scratch + places * read_step;
  for (int64_t first = range.begin * each; first < end; first += parts.chunk) {
    const int64_t count = std::min(parts.chunk, end - first);
    read_tiles<Method>(parts.tiles, from, first, count, scratch, read_step);
    const PackedGemmPlan product = parts.product.with(count, {parts.tiles.channels, 1});
    for (int64_t p = 0; p < places; ++p) {
      product.run(scratch + p * read_step, packed + p * parts.packed_step(), sums + p * sum_step,
                  {}, product.whole());
    }
    write_tiles<Method>(parts, sums, first, count, to, epilogue);
  }
}

// Writes G g G^T in the order of the product.
template <class Method>
void pack_taps(const WinogradParts& parts, const float* weights, float* packed) {
  constexpr int kReach = Method::kReach;
  const hn::RebindToSigned<Floats> whole_numbers;
  const auto outs = hn::Mul(hn::Iota(whole_numbers, 0),
                            hn::Set(whole_numbers, static_cast<int32_t>(parts.weights.first)));
  const int64_t step = parts.packed_step();
  for (int64_t n = 0; n < parts.out_channels; n += lanes()) {
    for (int64_t k = 0; k < parts.tiles.channels; ++k) {
      const float* const taps =
          weights + parts.start + k * parts.weights.channel + n * parts.weights.first;
      F half[kReach * 3];
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
        F column[3];
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
          column[i] = hn::GatherIndex(
              kFloats, taps + i * parts.weights.row + j * parts.weights.column, outs);
        }
        Method::weights(column, half + j, 3);
      }
      float* const to = packed + parts.product.place(k, n);
      const auto along_rows = [](const F* row, F* whole)
                                  HWY_ATTR { Method::weights(row, whole, 1); };
      store_rows<Method, 3>(half, along_rows, to, step);
    }
  }
}

void run_winograd(const WinogradParts& parts, const float* from, const float* packed, float* to,
                  const ConvEpilogue& epilogue, const PieceRange& range, float* scratch) {
  (parts.tiles.edge == 2 ? run_tiles<TwoByTwo> : run_tiles<FourByFour>)(parts, from, packed, to,
                                                                        epilogue, range, scratch);
}

void pack_winograd(const WinogradParts& parts, const float* weights, float* packed) {
  (parts.tiles.edge == 2 ? pack_taps<TwoByTwo> : pack_taps<FourByFour>)(parts, weights, packed);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {
namespace {

constexpr int64_t kBlock = 16;  // channels come in whole vectors of any instruction set

// With few tiles, reading the transformed weights takes longer than the products; those of a
// forward pass are often transformed only once.
constexpr int64_t kLeastForward = 16, kLeastBackward = 32;

// channels: of what is read; out_channels: of the result.
bool suits(const ConvShape& shape, int64_t channels, int64_t out_channels, const Extent& out,
           int64_t least_tiles) {
  constexpr int64_t kFarthest = 1 << 26;  // 16 times as far stays within 32 bits
  if (shape.kernel.height != 3 || shape.kernel.width != 3 || shape.stride.height != 1 ||
      shape.stride.width != 1 || shape.padding.height > 2 || shape.padding.width > 2)
    return false;
  if (channels % kBlock != 0 || out_channels % kBlock != 0 ||
      std::max(shape.weights.first, shape.weights.channel) >= kFarthest)
    return false;
  const int64_t tiles = tiles_of(out, 2).height * tiles_of(out, 2).width;
  // Tiles at the ends compute pixels that do not exist.
  return shape.images * tiles >= least_tiles && 2 * 4 * tiles <= 3 * out.height * out.width;
}

// Transformed weights that do not stay in the second cache are read from memory.
int64_t tiles_per_weight(const ConvShape& shape) {
  constexpr int64_t kCached = (1 << 20) / sizeof(float);
  return places_of(4) * shape.channels * shape.out_channels > kCached ? 10 : 2;
}

WinogradParts parts_of(WinogradTiles tiles, int64_t out_channels, const ConvStrides& weights,
                       int64_t start) {
  const int64_t channels = tiles.channels;
  const int64_t chunk = tiles_together(tiles.edge, channels, out_channels);
  return {isa(),
          std::move(tiles),
          out_channels,
          weights,
          start,
          chunk,
          PackedGemmPlan(
              {chunk, out_channels, channels, {channels, 1}, {out_channels, 1}, out_channels})};
}

}  // namespace

bool WinogradPlan::fits_forward(const ConvShape& shape) noexcept {
  return shape.x.channel == 1 &&
         suits(shape, shape.channels, shape.out_channels, shape.out(), kLeastForward);
}

bool WinogradPlan::fits_backward_input(const ConvShape& shape) noexcept {
  return suits(shape, shape.out_channels, shape.channels, shape.image, kLeastBackward);
}

bool WinogradWeightsPlan::fits(const ConvShape& shape) noexcept {
  return shape.x.channel == 1 &&
         suits(shape, shape.channels, shape.out_channels, shape.out(), kLeastBackward);
}

int64_t winograd_edge(WinogradEdge edge, int64_t images, const Extent& out,
                      int64_t tiles_per_weight) {
  if (edge != WinogradEdge::faster) return static_cast<int64_t>(edge);
  const auto time = [&](int64_t of) {
    const Extent tiles = tiles_of(out, of);
    return places_of(of) * (images * tiles.height * tiles.width + tiles_per_weight);
  };
  return time(4) < time(2) ? 4 : 2;
}

WinogradTiles winograd_tiles_of(const ConvShape& shape, int64_t edge) {
  WinogradTiles tiles;
  tiles.edge = edge;
  tiles.channels = shape.channels;
  tiles.size = shape.image;
  tiles.strides = shape.x;
  tiles.before = shape.padding;
  tiles.out = shape.out();
  tiles.zeros.assign(static_cast<size_t>(shape.channels), 0);
  return tiles;
}

WinogradPlan WinogradPlan::forward(const ConvShape& shape, WinogradEdge edge) {
  const int64_t of = winograd_edge(edge, shape.images, shape.out(), tiles_per_weight(shape));
  return WinogradPlan(std::make_shared<const WinogradParts>(
      parts_of(winograd_tiles_of(shape, of), shape.out_channels, shape.weights, 0)));
}

// A convolution of dy with the same taps in the opposite order.
WinogradPlan WinogradPlan::backward_input(const ConvShape& shape, WinogradEdge edge) {
  const Extent out = shape.out();
  const int64_t count = shape.out_channels;
  WinogradTiles tiles;
  tiles.edge = winograd_edge(edge, shape.images, shape.image, kGradientTilesPerWeight);
  tiles.channels = count;
  tiles.size = out;
  tiles.strides = {out.height * out.width * count, 1, out.width * count, count};
  tiles.before = {2 - shape.padding.height, 2 - shape.padding.width};
  tiles.out = shape.image;
  tiles.zeros.assign(static_cast<size_t>(count), 0);
  const ConvStrides& w = shape.weights;
  return WinogradPlan(std::make_shared<const WinogradParts>(
      parts_of(std::move(tiles), shape.channels, {w.channel, w.first, -w.row, -w.column},
               2 * (w.row + w.column))));
}

int64_t WinogradPlan::packed_size() const noexcept {
  return parts_->tiles.places() * parts_->packed_step();
}

int64_t WinogradPlan::scratch_size() const noexcept {
  return parts_->tiles.places() * (parts_->read_step() + parts_->sum_step());
}

int64_t WinogradPlan::pieces() const noexcept { return parts_->tiles.tiles().height; }

void WinogradPlan::pack(const float* weights, float* packed) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, pack_winograd)(*parts_, weights, packed);
}

void WinogradPlan::run(const float* from, const float* packed, float* to,
                       const ConvEpilogue& epilogue, const PieceRange& range,
                       float* scratch) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, run_winograd)
  (*parts_, from, packed, to, epilogue, range, scratch);
}

}  // namespace broch::kernels
#endif
