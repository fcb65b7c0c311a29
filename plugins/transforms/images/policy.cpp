// policy.cpp: Pillow's ImageEnhance and ImageOps.
#include "images/policy.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace images {

namespace {

// Pillow's gray value of a pixel, for the mode "L".
int gray_of(const uint8_t* rgb) {
  return (19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 0x8000) >> 16;
}

// Pillow's Image.blend: a + factor * (b - a).
uint8_t blend(int a, int b, float factor) {
  return uint8_t(std::clamp(float(a) + factor * float(b - a), 0.0f, 255.0f));
}

// Blends with what degenerate(row, element) gives.
template <class Degenerate>
void enhance(const cv::Mat& from, double factor, cv::Mat& to, const Degenerate& degenerate) {
  for (int y = 0; y < from.rows; ++y)
    for (int i = 0; i < 3 * from.cols; ++i)
      to.ptr(y)[i] = blend(degenerate(y, i), from.ptr(y)[i], float(factor));
}

int rounded_mean_gray(const cv::Mat& image) {
  int64_t sum = 0;
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x) sum += gray_of(image.ptr(y) + 3 * x);
  return int(double(sum) / double(image.total()) + 0.5);
}

// Pillow's filter SMOOTH. The pixels of the edge stay as they are.
cv::Mat smooth(const cv::Mat& image) {
  cv::Mat result = image.clone();
  for (int y = 1; y + 1 < image.rows; ++y)
    for (int i = 3; i < 3 * (image.cols - 1); ++i) {
      int sum = 4 * image.ptr(y)[i];
      for (int row = y - 1; row <= y + 1; ++row)
        for (int at = i - 3; at <= i + 3; at += 3) sum += image.ptr(row)[at];
      result.ptr(y)[i] = uint8_t(float(sum) / 13 + 0.5f);
    }
  return result;
}

using Histogram = std::array<int, 256>;

Histogram histogram_of(const cv::Mat& image, int channel) {
  Histogram counts{};
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x) ++counts[image.ptr(y)[3 * x + channel]];
  return counts;
}

void stretch(const Histogram& counts, uint8_t* table) {
  int low = 0, high = 255;
  while (low < 255 && counts[size_t(low)] == 0) ++low;
  while (high > 0 && counts[size_t(high)] == 0) --high;
  const double scale = high > low ? 255.0 / (high - low) : 1,
               offset = high > low ? -low * scale : 0;
  for (int i = 0; i < 256; ++i) table[3 * i] = uint8_t(std::clamp(int(i * scale + offset), 0, 255));
}

void flatten(const Histogram& counts, uint8_t* table) {
  int total = 0, kinds = 0, last = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    total += count;
    ++kinds;
    last = count;
  }
  const int step = kinds > 1 ? (total - last) / 255 : 0;
  int sum = step / 2;
  for (int i = 0; i < 256; ++i) {
    table[3 * i] = step == 0 ? uint8_t(i) : uint8_t(std::min(sum / step, 255));
    sum += counts[size_t(i)];
  }
}

// One table per channel.
template <class Make>
void by_table(const cv::Mat& from, cv::Mat& to, const Make& make) {
  cv::Mat table(1, 256, CV_8UC3);
  for (int c = 0; c < 3; ++c) make(histogram_of(from, c), table.data + c);
  cv::LUT(from, table, to);
}

void map_bytes(const cv::Mat& from, cv::Mat& to, uint8_t (*change)(int, int), int parameter) {
  cv::Mat table(1, 256, CV_8UC1);
  for (int i = 0; i < 256; ++i) table.data[i] = change(i, parameter);
  cv::LUT(from, table, to);
}

}  // namespace

bool has_sign(PolicyOperation operation) {
  return operation >= PolicyOperation::shear_x && operation <= PolicyOperation::sharpness;
}

double strength_of(PolicyOperation operation, int bin, int bins, cv::Size size, bool wide,
                   bool negative) {
  const double share = bins > 1 ? double(bin) / (bins - 1) : 0, sign = negative ? -1 : 1;
  switch (operation) {
    case PolicyOperation::shear_x:
    case PolicyOperation::shear_y:
      return sign * share * (wide ? 0.99 : 0.3);
    case PolicyOperation::translate_x:
      return std::trunc(sign * share * (wide ? 32 : 150.0 / 331 * size.width));
    case PolicyOperation::translate_y:
      return std::trunc(sign * share * (wide ? 32 : 150.0 / 331 * size.height));
    case PolicyOperation::rotate:
      return sign * share * (wide ? 135 : 30);
    case PolicyOperation::brightness:
    case PolicyOperation::color:
    case PolicyOperation::contrast:
    case PolicyOperation::sharpness:
      return 1 + sign * share * (wide ? 0.99 : 0.9);
    case PolicyOperation::posterize:  // bits that are kept
      return 8 - std::nearbyint(bin / ((bins - 1) / (wide ? 6.0 : 4.0)));
    case PolicyOperation::solarize:  // the least value that is inverted
      return 255 * (1 - share);
    default:
      return 0;
  }
}

std::optional<cv::Matx23d> motion_of(PolicyOperation operation, double strength, cv::Size size) {
  switch (operation) {
    // The corner of the picture stays, half a pixel from the center of the first pixel.
    case PolicyOperation::shear_x:
      return cv::Matx23d(1, strength, strength / 2, 0, 1, 0);
    case PolicyOperation::shear_y:
      return cv::Matx23d(1, 0, 0, strength, 1, strength / 2);
    case PolicyOperation::translate_x:
      return cv::Matx23d(1, 0, strength, 0, 1, 0);
    case PolicyOperation::translate_y:
      return cv::Matx23d(1, 0, 0, 0, 1, strength);
    case PolicyOperation::rotate:
      return rotation({size.width * 0.5 - 0.5, size.height * 0.5 - 0.5}, strength, 1);
    default:
      return std::nullopt;
  }
}

void change_values(PolicyOperation operation, double strength, const cv::Mat& from, cv::Mat& to) {
  if (from.type() != CV_8UC3)
    refuse("image",
           (from.depth() == CV_8U ? "uint8 of " : "float32 of ") + std::to_string(from.channels()) +
               " channels",
           "uint8 of 3 channels, red, green and blue", "use it before the image is normalized",
           BROCH_E_INVALID_ARGUMENT);
  switch (operation) {
    case PolicyOperation::brightness:
      return enhance(from, strength, to, [](int, int) { return 0; });
    case PolicyOperation::color:
      return enhance(from, strength, to,
                     [&](int y, int i) { return gray_of(from.ptr(y) + i - i % 3); });
    case PolicyOperation::contrast: {
      const int mean = rounded_mean_gray(from);
      return enhance(from, strength, to, [mean](int, int) { return mean; });
    }
    case PolicyOperation::sharpness: {
      const cv::Mat smoothed = smooth(from);
      return enhance(from, strength, to, [&](int y, int i) { return smoothed.ptr(y)[i]; });
    }
    case PolicyOperation::posterize:
      return map_bytes(
          from, to, [](int i, int bits) { return uint8_t(i & ~(0xff >> bits)); }, int(strength));
    case PolicyOperation::solarize:
      return map_bytes(
          from, to, [](int i, int least) { return uint8_t(i < least ? i : 255 - i); },
          int(std::ceil(strength)));
    case PolicyOperation::auto_contrast:
      return by_table(from, to, stretch);
    case PolicyOperation::equalize:
      return by_table(from, to, flatten);
    default:
      from.copyTo(to);
  }
}

}  // namespace images
