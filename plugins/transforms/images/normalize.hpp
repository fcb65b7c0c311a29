// normalize.hpp: uint8 pixels to float32 channels: crops, pads, flips and normalizes at once.
#pragma once
#include <vector>

#include "images/pixels.hpp"

namespace images {

// (value - mean) / std of each channel, as value * scale + shift.
struct Normalization {
  // mean and std: one for all channels, or one per channel.
  Normalization(const std::vector<double>& mean, const std::vector<double>& std, int channels);
  std::vector<float> scale, shift;
};

// uint8 pixels: the element of row y, column x and channel c is data[y * row + x * pixel + c *
// channel].
struct PixelView {
  const uint8_t* data;
  cv::Size size;
  int channels;
  int64_t row, pixel, channel;
};
PixelView view_of(const cv::Mat& image);  // rows x columns x channels
// Compact planes: channels x rows x columns.
PixelView view_of_planes(const uint8_t* data, int channels, cv::Size size);

// Writes channels x rows x columns. The window may reach beyond the picture: there, pixels have the
// value `outside`, before they are normalized.
void crop_flip_normalize(const PixelView& from, cv::Rect window, bool mirrored, uint8_t outside,
                         const Normalization& normalization, float* to);

}  // namespace images
