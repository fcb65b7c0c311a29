// codec.cpp: chooses the codec of a file.
#include "images/codec/codec.hpp"

#include <cstring>

namespace images {

cv::Mat Scratch::pixels(cv::Size size, int channels) {
  constexpr size_t kKept = size_t{64} << 20;
  const size_t needed = size_t(size.width) * size_t(size.height) * size_t(channels);
  if (needed > capacity_ || (capacity_ > kKept && needed <= kKept)) {
    memory_.reset();
    memory_.reset(new uint8_t[needed]);
    capacity_ = needed;
  }
  return cv::Mat(size, CV_8UC(channels), memory_.get());
}

Codec& codec_for(Bytes bytes) {
  const auto begins = [&](size_t at, const char* with, size_t size) {
    return bytes.size >= at + size && std::memcmp(bytes.data + at, with, size) == 0;
  };
  if (begins(0, "\xff\xd8\xff", 3)) return jpeg_codec();
  if (begins(0, "\x89PNG\r\n\x1a\n", 8)) return png_codec();
  if (begins(0, "RIFF", 4) && begins(8, "WEBP", 4)) return webp_codec();
  static const char* const kDigits = "0123456789abcdef";
  std::string start;
  for (size_t i = 0; i < bytes.size && i < 8; ++i)
    (start += kDigits[bytes.data[i] >> 4]) += kDigits[bytes.data[i] & 15];
  refuse("image", std::to_string(bytes.size) + " bytes that begin with " + start,
         "a JPEG, PNG or WebP file", "convert the file, or decode it in a transform of your own");
}

}  // namespace images
