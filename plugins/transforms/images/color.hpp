// color.hpp: changes of the values of pixels. from and to have the same size and, where nothing
// else is said, the same type; they may be the same memory.
//
// Results of uint8 are clipped to [0, 255] and rounded towards 0, as numpy's astype does; those of
// float32 are clipped if clip is true.
#pragma once
#include <array>

#include "images/pixels.hpp"

namespace images {

// value + delta, value * factor.
void add_brightness(const cv::Mat& from, double delta, bool clip, cv::Mat& to);
void scale_brightness(const cv::Mat& from, double factor, bool clip, cv::Mat& to);
// (value - mean) * factor + mean.
enum class ContrastMean { per_channel, gray_of_rgb, gray_of_bgr };
void change_contrast(const cv::Mat& from, double factor, ContrastMean mean, bool clip, cv::Mat& to);
// 3 channels: value * factor + gray * (1 - factor).
void change_saturation(const cv::Mat& from, double factor, bool rgb, bool clip, cv::Mat& to);
// 3 channels; hue in units of 2 degrees.
void shift_hue(const cv::Mat& from, double hue, bool rgb, cv::Mat& to);
// 255 * (value / 255) ^ (1 / (1 + gamma)), of values as uint8.
void change_gamma(const cv::Mat& from, double gamma, cv::Mat& to);
void clip(const cv::Mat& from, double least, double most, cv::Mat& to);
// Adds to each of 3 channels.
void add_light(const cv::Mat& from, const std::array<float, 3>& light, bool clip, cv::Mat& to);

// to: float32. all_channels: one minimum or mean for all channels, otherwise one for each.
void normalize_range(const cv::Mat& from, double least, double most, bool all_channels,
                     cv::Mat& to);
// (value - mean) / max(standard deviation, 1 / sqrt(number of elements)).
void normalize_variance(const cv::Mat& from, bool all_channels, cv::Mat& to);

// Clips to [0, 255] and rounds towards 0. to: uint8.
void to_uint8(const cv::Mat& from, cv::Mat& to);

}  // namespace images
