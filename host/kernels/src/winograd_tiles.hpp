// winograd_tiles.hpp: the tiles of images, and the memory for some of them.
#pragma once
#include <algorithm>
#include <vector>

#include "kernels/conv.hpp"

namespace broch::kernels {

constexpr int kPlaces = 16;  // the numbers of a transformed tile and channel

inline Extent tiles_of(const Extent& out) { return {(out.height + 1) / 2, (out.width + 1) / 2}; }

struct WinogradTiles {
  int64_t channels = 0;
  Extent size;               // of an image that is read
  ConvStrides strides;       // of the images; channels are adjacent
  Extent before;             // padding above and to the left
  Extent out;                // pixels of a result
  std::vector<float> zeros;  // (channels), which stand for padding

  Extent tiles() const noexcept { return tiles_of(out); }
  int64_t per_image() const noexcept { return tiles().height * tiles().width; }
};

// Where a tile begins, in pixels of the result.
struct TilePlace {
  int64_t image, row, column;
};
inline TilePlace place_of(const WinogradTiles& tiles, int64_t number) {
  const int64_t each = tiles.per_image(), wide = tiles.tiles().width, in_image = number % each;
  return {number / each, in_image / wide * 2, in_image % wide * 2};
}

// The tiles that are computed together, so that their numbers stay in the second cache; at least so
// many that the transformed weights are used often once they are read.
inline int64_t tiles_together(int64_t channels, int64_t out_channels) {
  constexpr int64_t kFloats = 1 << 17, kStep = 24, kLeast = 48, kMost = 192;
  return std::clamp(kFloats / (kPlaces * (channels + out_channels)) / kStep * kStep, kLeast, kMost);
}

// The distance between the numbers of two places: one cache line more, so that those of a tile do
// not fall into the same cache set.
inline int64_t place_step(int64_t tiles, int64_t channels) { return tiles * channels + 16; }

// The tiles of a layer, for what is read and what is written.
WinogradTiles winograd_tiles_of(const ConvShape& shape);

}  // namespace broch::kernels
