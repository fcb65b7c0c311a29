// webp.cpp: WebP, by libwebp. Still images only.
#include <webp/decode.h>

#include <cstring>
#include <opencv2/imgproc.hpp>

#include "images/codec/codec.hpp"
#include "images/codec/exif.hpp"

namespace images {

namespace {

[[noreturn]] void refuse_file(VP8StatusCode status) {
  static const char* const kNames[] = {"no error",   "out of memory",         "a wrong parameter",
                                       "wrong data", "an unknown feature",    "a truncated image",
                                       "user abort", "a file that is cut off"};
  refuse("WebP", size_t(status) < std::size(kNames) ? kNames[status] : "an unknown failure",
         "an intact file", "restore the file, or leave it out");
}

// The chunk EXIF of the container, which is RIFF: name, size (little-endian), bytes, padded to an
// even number.
int orientation_in(Bytes bytes) {
  for (size_t at = 12; at + 8 <= bytes.size;) {
    const uint8_t* chunk = bytes.data + at;
    const size_t size = chunk[4] | chunk[5] << 8 | chunk[6] << 16 | size_t{chunk[7]} << 24;
    if (size > bytes.size - at - 8) return 1;
    if (std::memcmp(chunk, "EXIF", 4) == 0) return exif_orientation({chunk + 8, size});
    at += 8 + size + (size & 1);
  }
  return 1;
}

class Webp final : public Codec {
 public:
  Header open(Bytes bytes) override {
    bytes_ = bytes;
    WebPBitstreamFeatures features{};
    const VP8StatusCode status = WebPGetFeatures(bytes.data, bytes.size, &features);
    if (status != VP8_STATUS_OK) refuse_file(status);
    if (features.has_animation)
      refuse("WebP", "an animation", "a still image", "extract its frames");
    size_ = {features.width, features.height};
    return {size_, orientation_in(bytes)};
  }

  cv::Mat read(Channels channels, int, cv::Rect region, cv::Mat* target) override {
    // libwebp crops at even places, and chroma is interpolated from a pixel further.
    const int left = std::max(0, region.x - 2) & ~1, top = std::max(0, region.y - 2) & ~1;
    const cv::Rect area(left, top, std::min(size_.width, region.x + region.width + 2) - left,
                        std::min(size_.height, region.y + region.height + 2) - top);
    const bool is_gray = channels == Channels::gray;
    const bool is_direct = target && !is_gray && area == region;
    cv::Mat decoded = is_direct ? *target : scratch_.pixels(area.size(), 3);
    decode(channels, area, decoded);
    if (is_direct) return decoded;

    const cv::Mat view = decoded(region - area.tl());
    if (!target) {
      if (!is_gray) return view;
      gray_.create(region.size(), CV_8UC1);
      target = &gray_;
    }
    if (is_gray)
      cv::cvtColor(view, *target, cv::COLOR_RGB2GRAY);
    else
      view.copyTo(*target);
    return *target;
  }

 private:
  void decode(Channels channels, cv::Rect area, cv::Mat& to) {
    WebPDecoderConfig config;
    WebPInitDecoderConfig(&config);
    config.options.use_cropping = area.size() != size_;
    config.options.crop_left = area.x;
    config.options.crop_top = area.y;
    config.options.crop_width = area.width;
    config.options.crop_height = area.height;
    config.output.colorspace = channels == Channels::bgr ? MODE_BGR : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = {to.data, int(to.step), size_t(to.step) * size_t(to.rows)};
    const VP8StatusCode status = WebPDecode(bytes_.data, bytes_.size, &config);
    if (status != VP8_STATUS_OK) refuse_file(status);
  }

  Bytes bytes_;
  cv::Size size_;
  Scratch scratch_;
  cv::Mat gray_;
};

}  // namespace

Codec& webp_codec() {
  thread_local Webp codec;
  return codec;
}

}  // namespace images
