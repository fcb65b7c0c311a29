// pixels.hpp: words that all parts about images share.
//
// An image is a cv::Mat of uint8 or float32 elements with 1 to 4 channels: rows x columns x
// channels. It may be a view of memory of somebody else.
#pragma once
#include <broch/cpp/error.hpp>
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>

namespace images {

// The content of a file, borrowed.
struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

enum class Channels { rgb, bgr, gray };
inline int count_of(Channels channels) { return channels == Channels::gray ? 1 : 3; }

[[noreturn]] inline void refuse(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next,
                                broch_status status = BROCH_E_DATA_LOSS) {
  throw broch::Error(status, place + ": found " + found + ", expected " + expected + "; " + next);
}

inline std::string text_of(cv::Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

}  // namespace images
