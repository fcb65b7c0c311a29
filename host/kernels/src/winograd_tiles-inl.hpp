// winograd_tiles-inl.hpp: transforms the tiles of images.
#if defined(BROCH_KERNELS_WINOGRAD_TILES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_WINOGRAD_TILES_INL_HPP
#undef BROCH_KERNELS_WINOGRAD_TILES_INL_HPP
#else
#define BROCH_KERNELS_WINOGRAD_TILES_INL_HPP
#endif
#include "vectors-inl.hpp"
#include "winograd_tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// B^T times a column of four.
HWY_INLINE void transform_read(F a, F b, F c, F d, F* to, int step) {
  to[0] = hn::Sub(a, c);
  to[step] = hn::Add(b, c);
  to[2 * step] = hn::Sub(c, b);
  to[3 * step] = hn::Sub(b, d);
}

// Writes for each of the tiles [first, first + count), 16 places and the channels: B^T d B.
inline void read_tiles(const WinogradTiles& tiles, const float* from, int64_t first, int64_t count,
                       float* to, int64_t place_step) {
  for (int64_t t = 0; t < count; ++t, to += tiles.channels) {
    const TilePlace place = place_of(tiles, first + t);
    const float* const image = from + place.image * tiles.strides.first;
    const float* pixels[kPlaces];
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 4; ++j) {
        const int64_t row = place.row + i - tiles.before.height;
        const int64_t column = place.column + j - tiles.before.width;
        const bool inside =
            row >= 0 && row < tiles.size.height && column >= 0 && column < tiles.size.width;
        pixels[i * 4 + j] = inside ? image + row * tiles.strides.row + column * tiles.strides.column
                                   : tiles.zeros.data();
      }
    }
    for (int64_t c = 0; c < tiles.channels; c += lanes()) {
      F half[kPlaces];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        transform_read(load(pixels[j] + c), load(pixels[4 + j] + c), load(pixels[8 + j] + c),
                       load(pixels[12 + j] + c), half + j, 4);
      }
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        F whole[4];
        transform_read(half[i * 4], half[i * 4 + 1], half[i * 4 + 2], half[i * 4 + 3], whole, 1);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) store(whole[j], to + (i * 4 + j) * place_step + c);
      }
    }
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
