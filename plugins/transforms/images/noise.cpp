// noise.cpp: noise, drawn element by element in the order of memory.
#include "images/noise.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "images/codec/codec.hpp"
#include "images/codec/jpeg_encoder.hpp"

namespace images {

namespace {

// The elements of an image, by row; read and write take and give double.
template <class Change>
void map_elements(const cv::Mat& from, bool clipped, cv::Mat& to, const Change& change) {
  const int count = from.cols * from.channels();
  for (int y = 0; y < from.rows; ++y)
    for (int i = 0; i < count; ++i)
      if (from.depth() == CV_8U) {
        to.ptr(y)[i] = uint8_t(std::clamp(change(double(from.ptr(y)[i])), 0.0, 255.0));
      } else {
        const double value = change(double(from.ptr<float>(y)[i]));
        to.ptr<float>(y)[i] = float(clipped ? std::clamp(value, 0.0, 255.0) : value);
      }
}

}  // namespace

void add_gaussian_noise(const cv::Mat& from, double sigma, bool clip, broch::Draws& draws,
                        cv::Mat& to) {
  map_elements(from, clip, to, [&](double value) { return value + draws.normal() * sigma; });
}

void salt_and_pepper(const cv::Mat& from, double white, double black, broch::Draws& draws,
                     cv::Mat& to) {
  map_elements(from, false, to, [&](double value) {
    const double place = draws.uniform();
    return place < black ? 0.0 : place > 1 - white ? 255.0 : value;
  });
}

void jpeg_noise(const cv::Mat& from, int quality, bool rgb, cv::Mat& to) {
  cv::Mat bytes;
  from.convertTo(bytes, CV_8U);
  const Channels channels = from.channels() == 1 ? Channels::gray
                            : rgb                ? Channels::rgb
                                                 : Channels::bgr;
  if (from.channels() != count_of(channels))
    refuse("image", std::to_string(from.channels()) + " channels", "1 or 3", "leave JPEG noise out",
           BROCH_E_INVALID_ARGUMENT);
  const std::vector<uint8_t> file = encode_jpeg(bytes, channels, quality);
  Codec& codec = jpeg_codec();
  codec.open({file.data(), file.size()});
  codec.read(channels, 1, cv::Rect({0, 0}, from.size()), nullptr).convertTo(to, from.depth());
}

void fill(cv::Mat& region, double value, double deviation, broch::Draws& draws) {
  if (deviation == 0) {
    const bool is_bytes = region.depth() == CV_8U;
    region.setTo(cv::Scalar::all(is_bytes ? std::trunc(std::clamp(value, 0.0, 255.0)) : value));
    return;
  }
  map_elements(region, false, region, [&](double) { return value + deviation * draws.normal(); });
}

}  // namespace images
