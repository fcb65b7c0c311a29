// color.cpp: values by table where there are 256 of them, and one by one otherwise.
#include "images/color.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace images {

namespace {

uint8_t truncated(double value) { return uint8_t(std::clamp(value, 0.0, 255.0)); }

// to = change(channel, value) for each element.
template <class Change>
void map_values(const cv::Mat& from, bool clipped, cv::Mat& to, const Change& change) {
  const int channels = from.channels(), count = from.cols * channels;
  if (from.depth() == CV_8U) {
    cv::Mat table(1, 256, CV_8UC(channels));
    for (int value = 0; value < 256; ++value)
      for (int c = 0; c < channels; ++c)
        table.data[value * channels + c] = truncated(double(change(c, float(value))));
    cv::LUT(from, table, to);
    return;
  }
  for (int y = 0; y < from.rows; ++y) {
    const float* source = from.ptr<float>(y);
    float* target = to.ptr<float>(y);
    for (int i = 0; i < count; ++i) {
      const float value = float(change(channels == 1 ? 0 : i % channels, source[i]));
      target[i] = clipped ? std::clamp(value, 0.0f, 255.0f) : value;
    }
  }
}

// The gray value of float32 pixels, as of cv::cvtColor. 3 channels, or 4 with alpha.
double mean_gray(const cv::Mat& from, bool rgb) {
  if (from.channels() < 3)
    refuse("image", std::to_string(from.channels()) + " channels", "1, 3 or 4",
           "set rgb to null, so that each channel has its own mean", BROCH_E_INVALID_ARGUMENT);
  cv::Mat floats, gray;
  from.convertTo(floats, CV_32F);
  cv::cvtColor(floats, gray, rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY);
  return cv::mean(gray)[0];
}

void check_channels(const cv::Mat& image, int channels) {
  if (image.channels() != channels)
    refuse("image", std::to_string(image.channels()) + " channels", std::to_string(channels),
           "use it before the channels are reduced, or leave it out", BROCH_E_INVALID_ARGUMENT);
}

}  // namespace

void add_brightness(const cv::Mat& from, double delta, bool clip, cv::Mat& to) {
  const float added = float(delta);
  map_values(from, clip, to, [added](int, float value) { return value + added; });
}

void scale_brightness(const cv::Mat& from, double factor, bool clip, cv::Mat& to) {
  const float times = float(factor);
  map_values(from, clip, to, [times](int, float value) { return value * times; });
}

void change_contrast(const cv::Mat& from, double factor, ContrastMean mean, bool clip,
                     cv::Mat& to) {
  cv::Scalar means = cv::mean(from);
  if (mean != ContrastMean::per_channel && from.channels() > 1)
    means = cv::Scalar::all(mean_gray(from, mean == ContrastMean::gray_of_rgb));
  map_values(from, clip, to, [&](int channel, float value) {
    return value * factor + means[channel] * (1 - factor);
  });
}

void change_saturation(const cv::Mat& from, double factor, bool rgb, bool clip, cv::Mat& to) {
  check_channels(from, 3);
  cv::Mat gray;
  cv::cvtColor(from, gray, rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY);
  const float times = float(factor), rest = 1 - times;
  for (int y = 0; y < from.rows; ++y)
    for (int x = 0; x < from.cols; ++x)
      for (int i = 3 * x; i < 3 * x + 3; ++i)
        if (from.depth() == CV_8U) {
          const float value = float(from.ptr(y)[i]) * times + float(gray.ptr(y)[x]) * rest;
          to.ptr(y)[i] = truncated(double(value));
        } else {
          const float value = from.ptr<float>(y)[i] * times + gray.ptr<float>(y)[x] * rest;
          to.ptr<float>(y)[i] = clip ? std::clamp(value, 0.0f, 255.0f) : value;
        }
}

void shift_hue(const cv::Mat& from, double hue, bool rgb, cv::Mat& to) {
  check_channels(from, 3);
  cv::Mat hsv;
  cv::cvtColor(from, hsv, rgb ? cv::COLOR_RGB2HSV : cv::COLOR_BGR2HSV);
  const bool is_bytes = from.depth() == CV_8U;  // hue in 0 to 179 then, otherwise in degrees
  const float around = is_bytes ? 180 : 360, shift = float(is_bytes ? hue : 2 * hue);
  const auto shifted = [&](float value) {
    const float rest = std::fmod(value + shift, around);
    return rest < 0 ? rest + around : rest;
  };
  for (int y = 0; y < hsv.rows; ++y)
    for (int i = 0; i < 3 * hsv.cols; i += 3)
      if (is_bytes)
        hsv.ptr(y)[i] = uint8_t(shifted(float(hsv.ptr(y)[i])));
      else
        hsv.ptr<float>(y)[i] = shifted(hsv.ptr<float>(y)[i]);
  cv::cvtColor(hsv, to, rgb ? cv::COLOR_HSV2RGB : cv::COLOR_HSV2BGR);
}

void change_gamma(const cv::Mat& from, double gamma, cv::Mat& to) {
  const float power = float(1 / (1 + gamma));
  map_values(from, false, to, [power](int, float value) {
    const float byte = std::trunc(std::clamp(value, 0.0f, 255.0f));
    return std::trunc(std::pow(byte / 255, power) * 255);
  });
}

void clip(const cv::Mat& from, double least, double most, cv::Mat& to) {
  const float low = float(least), high = float(most);
  map_values(from, false, to,
             [low, high](int, float value) { return std::min(std::max(value, low), high); });
}

void add_light(const cv::Mat& from, const std::array<float, 3>& light, bool clip, cv::Mat& to) {
  check_channels(from, 3);
  map_values(from, clip, to,
             [&](int channel, float value) { return value + light[size_t(channel)]; });
}

void normalize_range(const cv::Mat& from, double least, double most, bool all_channels,
                     cv::Mat& to) {
  cv::Mat floats;
  from.convertTo(floats, CV_32F);
  const int channels = from.channels();
  std::vector<float> low(size_t(channels), INFINITY), high(size_t(channels), -INFINITY);
  for (int y = 0; y < from.rows; ++y)
    for (int i = 0; i < from.cols * channels; ++i) {
      const size_t c = all_channels ? 0 : size_t(i % channels);
      low[c] = std::min(low[c], floats.ptr<float>(y)[i]);
      high[c] = std::max(high[c], floats.ptr<float>(y)[i]);
    }
  const float width = float(most - least), start = float(least);
  map_values(floats, false, to, [&](int channel, float value) {
    const size_t c = all_channels ? 0 : size_t(channel);
    return high[c] > low[c] ? width * (value - low[c]) / (high[c] - low[c]) + start : start;
  });
}

void normalize_variance(const cv::Mat& from, bool all_channels, cv::Mat& to) {
  cv::Mat floats;
  from.convertTo(floats, CV_32F);
  const cv::Mat flat = all_channels ? floats.reshape(1) : floats;
  cv::Scalar means, deviations;
  cv::meanStdDev(flat, means, deviations);
  const double least = 1 / std::sqrt(double(from.total()) * from.channels());
  map_values(floats, false, to, [&](int channel, float value) {
    const int c = all_channels ? 0 : channel;
    return (value - float(means[c])) / float(std::max(deviations[c], least));
  });
}

void to_uint8(const cv::Mat& from, cv::Mat& to) {
  if (from.depth() == CV_8U) return from.copyTo(to);
  for (int y = 0; y < from.rows; ++y)
    for (int i = 0; i < from.cols * from.channels(); ++i)
      to.ptr(y)[i] = truncated(double(from.ptr<float>(y)[i]));
}

}  // namespace images
