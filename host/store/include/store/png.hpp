// png.hpp: an 8-bit image as PNG.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace broch::store {

// Rows from top to bottom, `channels` bytes per pixel: 1 gray, 3 RGB, 4 RGBA. Throws Error(data)
// if the number of pixels does not match the size.
std::string encode_png(std::span<const uint8_t> pixels, int32_t height, int32_t width,
                       int32_t channels);

}  // namespace broch::store
