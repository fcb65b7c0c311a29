// exif.cpp: reads the tag Orientation of the first directory; rotates images.
#include "images/codec/exif.hpp"

#include <cstring>

namespace images {

namespace {

constexpr size_t kOrientation = 0x0112;

// Bytes of a number of this type: SHORT, as Exif wants it, or another one that TIFF 6.0 tells
// readers to accept; 0: of another type.
size_t width_of(size_t type) { return type == 1 ? 1 : type == 3 ? 2 : type == 4 ? 4 : 0; }

}  // namespace

int exif_orientation(Bytes block) {
  const bool has_prefix = block.size > 6 && std::memcmp(block.data, "Exif\0\0", 6) == 0;
  const Bytes tiff{block.data + 6 * has_prefix, block.size - 6 * has_prefix};
  if (tiff.size < 8) return 1;
  const bool little = std::memcmp(tiff.data, "II*\0", 4) == 0;
  if (!little && std::memcmp(tiff.data, "MM\0*", 4) != 0) return 1;
  const auto number = [&](size_t at, size_t bytes) {
    size_t value = 0;
    for (size_t i = 0; i < bytes; ++i)
      value |= size_t{tiff.data[at + i]} << 8 * (little ? i : bytes - 1 - i);
    return value;
  };
  const size_t directory = number(4, 4);
  if (directory + 2 > tiff.size) return 1;
  const size_t entries = number(directory, 2);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (entry + 12 > tiff.size) return 1;
    if (number(entry, 2) != kOrientation) continue;
    const size_t orientation = number(entry + 8, width_of(number(entry + 2, 2)));
    return orientation >= 1 && orientation <= 8 ? int(orientation) : 1;
  }
  return 1;
}

cv::Rect Turn::stored(cv::Rect region, cv::Size picture) const {
  if (mirror_x) region.x = picture.width - region.x - region.width;
  if (mirror_y) region.y = picture.height - region.y - region.height;
  return transposed ? cv::Rect(region.y, region.x, region.height, region.width) : region;
}

void Turn::apply(const cv::Mat& from, cv::Mat& to) const {
  const int axes = mirror_x && mirror_y ? -1 : mirror_x ? 1 : 0;
  if (transposed)
    cv::transpose(from, to);
  else if (mirror_x || mirror_y)
    return cv::flip(from, to, axes);
  else
    return from.copyTo(to);
  if (mirror_x || mirror_y) cv::flip(to, to, axes);
}

}  // namespace images
