// support.hpp: the recorded files, and pixels of tests.
#pragma once
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <string>

#include "folder.hpp"
#include "images/decode.hpp"

namespace support {

inline std::string recorded(const std::string& name) {
  return broch::test::read_file(std::string(FILES_DIR) + "/" + name);
}
inline images::Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline const nlohmann::json& decoded() {
  static const nlohmann::json all = nlohmann::json::parse(recorded("decoded.json"));
  return all;
}

constexpr int64_t kMaxPixels = 100'000'000;

// All pixels of a file.
inline cv::Mat decode(const std::string& file, images::Channels channels, int reduction = 1,
                      bool turned = true) {
  images::Picture picture(bytes_of(file), kMaxPixels, turned);
  const cv::Rect all({0, 0}, picture.reduced(reduction));
  return picture.read(channels, reduction, all).clone();
}

inline bool same(const cv::Mat& a, const cv::Mat& b) {
  if (a.size() != b.size() || a.type() != b.type()) return false;
  for (int y = 0; y < a.rows; ++y)
    if (std::memcmp(a.ptr(y), b.ptr(y), size_t(a.cols) * a.elemSize())) return false;
  return true;
}

}  // namespace support
