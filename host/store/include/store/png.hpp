// png.hpp: an 8-bit image as PNG.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace broch::store {

// Rows from the top, `channels` bytes per pixel: 1 gray, 3 RGB, 4 RGBA. Throws Error(data) when
// the pixels do not fit the size.
std::string encode_png(std::span<const uint8_t> pixels, int32_t height, int32_t width,
                       int32_t channels);

}  // namespace broch::store
