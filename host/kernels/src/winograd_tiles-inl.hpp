// winograd_tiles-inl.hpp: transforms the tiles of images.
#if defined(BROCH_KERNELS_WINOGRAD_TILES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_WINOGRAD_TILES_INL_HPP
#undef BROCH_KERNELS_WINOGRAD_TILES_INL_HPP
#else
#define BROCH_KERNELS_WINOGRAD_TILES_INL_HPP
#endif
#include "vectors-inl.hpp"
#include "winograd_tiles.hpp"
#include "winograd_transforms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// Writes for each of the tiles [first, first + count), its places and their channels: B^T d B.
template <class Method>
void read_tiles(const WinogradTiles& tiles, const float* from, int64_t first, int64_t count,
                float* to, int64_t place_step) {
  constexpr int kReach = Method::kReach;
  for (int64_t t = 0; t < count; ++t, to += tiles.channels) {
    const TilePlace place = place_of(tiles, first + t);
    const float* const image = from + place.image * tiles.strides.first;
    const float* pixels[kReach * kReach];
    for (int64_t i = 0; i < kReach; ++i) {
      for (int64_t j = 0; j < kReach; ++j) {
        const int64_t row = place.row + i - tiles.before.height;
        const int64_t column = place.column + j - tiles.before.width;
        const bool inside =
            row >= 0 && row < tiles.size.height && column >= 0 && column < tiles.size.width;
        pixels[i * kReach + j] =
            inside ? image + row * tiles.strides.row + column * tiles.strides.column
                   : tiles.zeros.data();
      }
    }
    for (int64_t c = 0; c < tiles.channels; c += lanes()) {
      F half[kReach * kReach];
#pragma GCC unroll 6
      for (int j = 0; j < kReach; ++j) {
        F column[kReach];
#pragma GCC unroll 6
        for (int i = 0; i < kReach; ++i) column[i] = load(pixels[i * kReach + j] + c);
        Method::read(column, half + j, kReach);
      }
      const auto along_rows = [](const F* row, F* whole) HWY_ATTR { Method::read(row, whole, 1); };
      store_rows<Method, kReach>(half, along_rows, to + c, place_step);
    }
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
