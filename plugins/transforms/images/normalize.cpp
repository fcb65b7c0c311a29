// normalize.cpp: one pass over the pixels.
#include "images/normalize.hpp"

#include <algorithm>

// The same operations on all processors, so the same bits; AVX2 only does more of them at a time.
// The thread sanitizer is not ready yet when the loader chooses one of the clones.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define IMAGES_WIDE __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define IMAGES_WIDE
#endif

namespace images {

namespace {

IMAGES_WIDE void normalize_row(const uint8_t* from, int count, float scale, float shift,
                               float* to) {
  for (int x = 0; x < count; ++x) to[x] = float(from[x]) * scale + shift;
}

// Three channels that lie side by side, to three rows.
IMAGES_WIDE void normalize_triples(const uint8_t* __restrict from, int count, const float* scale,
                                   const float* shift, float* __restrict red,
                                   float* __restrict green, float* __restrict blue) {
  const float scale0 = scale[0], scale1 = scale[1], scale2 = scale[2];
  const float shift0 = shift[0], shift1 = shift[1], shift2 = shift[2];
  for (int x = 0; x < count; ++x) {
    red[x] = float(from[3 * x]) * scale0 + shift0;
    green[x] = float(from[3 * x + 1]) * scale1 + shift1;
    blue[x] = float(from[3 * x + 2]) * scale2 + shift2;
  }
}

double at(const std::vector<double>& values, int channel) {
  return values.size() == 1 ? values[0] : values[size_t(channel)];
}

void check_count(const char* option, const std::vector<double>& values, int channels) {
  if (values.size() != 1 && values.size() != size_t(channels))
    refuse(option, std::to_string(values.size()) + " numbers",
           "1 or one for each of the " + std::to_string(channels) + " channels", "correct the list",
           BROCH_E_INVALID_ARGUMENT);
}

}  // namespace

Normalization::Normalization(const std::vector<double>& mean, const std::vector<double>& std,
                             int channels) {
  check_count("mean", mean, channels);
  check_count("std", std, channels);
  for (int c = 0; c < channels; ++c) {
    scale.push_back(float(1 / at(std, c)));
    shift.push_back(float(-at(mean, c) / at(std, c)));
  }
}

PixelView view_of(const cv::Mat& image) {
  return {image.data, image.size(), image.channels(), int64_t(image.step), image.channels(), 1};
}

PixelView view_of_planes(const uint8_t* data, int channels, cv::Size size) {
  return {data, size, channels, size.width, 1, int64_t{size.width} * size.height};
}

void crop_flip_normalize(const PixelView& from, cv::Rect window, bool mirrored, uint8_t outside,
                         const Normalization& normalization, float* to) {
  const cv::Rect inside = window & cv::Rect({0, 0}, from.size);
  const int64_t plane = int64_t{window.width} * window.height;
  const int before = inside.empty() ? window.width : inside.x - window.x;
  const int after = inside.empty() ? 0 : window.width - before - inside.width;
  const auto fill = [&](int channel, int y, int x, int count) {
    const size_t c = size_t(channel);
    const float value = float(outside) * normalization.scale[c] + normalization.shift[c];
    std::fill_n(to + channel * plane + int64_t{y} * window.width + x, count, value);
  };
  for (int y = 0; y < window.height; ++y) {
    const int source_y = window.y + y;
    const bool is_outside =
        inside.empty() || source_y < inside.y || source_y >= inside.y + inside.height;
    for (int c = 0; c < from.channels; ++c) {
      fill(c, y, 0, is_outside ? window.width : before);
      if (!is_outside) fill(c, y, window.width - after, after);
    }
    if (!is_outside) {
      const uint8_t* pixels = from.data + source_y * from.row + inside.x * from.pixel;
      float* row = to + int64_t{y} * window.width + before;
      if (from.channels == 3 && from.pixel == 3) {
        normalize_triples(pixels, inside.width, normalization.scale.data(),
                          normalization.shift.data(), row, row + plane, row + 2 * plane);
      } else {
        for (int c = 0; c < from.channels; ++c) {
          const float scale = normalization.scale[size_t(c)],
                      shift = normalization.shift[size_t(c)];
          if (from.pixel == 1) {
            normalize_row(pixels + c * from.channel, inside.width, scale, shift, row + c * plane);
            continue;
          }
          for (int x = 0; x < inside.width; ++x)
            row[c * plane + x] = float(pixels[x * from.pixel + c * from.channel]) * scale + shift;
        }
      }
    }
    if (!mirrored) continue;
    for (int c = 0; c < from.channels; ++c) {
      float* row = to + c * plane + int64_t{y} * window.width;
      std::reverse(row, row + window.width);
    }
  }
}

}  // namespace images
