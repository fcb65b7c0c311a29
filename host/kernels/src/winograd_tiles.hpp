// winograd_tiles.hpp: the tiles of images, and the memory for some of them.
#pragma once
#include <algorithm>
#include <vector>

#include "kernels/winograd.hpp"

namespace broch::kernels {

// A tile has `edge` x `edge` pixels of the result, 2 or 4, and needs `reach` x `reach` pixels of
// what is read, which are as many numbers ("places") when it is transformed.
constexpr int64_t reach_of(int64_t edge) { return edge + 2; }
constexpr int64_t places_of(int64_t edge) { return reach_of(edge) * reach_of(edge); }

inline Extent tiles_of(const Extent& out, int64_t edge) {
  return {(out.height + edge - 1) / edge, (out.width + edge - 1) / edge};
}

struct WinogradTiles {
  int64_t edge = 2;
  int64_t channels = 0;
  Extent size;               // of an image that is read
  ConvStrides strides;       // of the images; channels are adjacent
  Extent before;             // padding above and to the left
  Extent out;                // pixels of a result
  std::vector<float> zeros;  // (channels), which stand for padding

  Extent tiles() const noexcept { return tiles_of(out, edge); }
  int64_t per_image() const noexcept { return tiles().height * tiles().width; }
  int64_t places() const noexcept { return places_of(edge); }
};

// Where a tile begins, in pixels of the result.
struct TilePlace {
  int64_t image, row, column;
};
inline TilePlace place_of(const WinogradTiles& tiles, int64_t number) {
  const int64_t each = tiles.per_image(), wide = tiles.tiles().width, in_image = number % each;
  return {number / each, in_image / wide * tiles.edge, in_image % wide * tiles.edge};
}

// The tiles that are computed together, so that their numbers stay in the second cache; at least so
// many that the transformed weights are used often once they are read.
inline int64_t tiles_together(int64_t edge, int64_t channels, int64_t out_channels) {
  constexpr int64_t kFloats = 1 << 17, kStep = 24, kLeast = 48, kMost = 192;
  return std::clamp(kFloats / (places_of(edge) * (channels + out_channels)) / kStep * kStep, kLeast,
                    kMost);
}

// The distance between the numbers of two places: one cache line more, so that those of a tile do
// not fall into the same cache set.
inline int64_t place_step(int64_t tiles, int64_t channels) { return tiles * channels + 16; }

// The tiles of a layer, for what is read and what is written.
WinogradTiles winograd_tiles_of(const ConvShape& shape, int64_t edge);

// The edge of the faster tiles. Those of 4 x 4 need fewer products, unless many of their pixels are
// outside of the image, but more transformed weights, and each of these takes as long as its
// products of `tiles_per_weight` tiles.
constexpr int64_t kGradientTilesPerWeight = 20;  // the weights, or sums, are transformed each time
int64_t winograd_edge(WinogradEdge edge, int64_t images, const Extent& out,
                      int64_t tiles_per_weight);

}  // namespace broch::kernels
