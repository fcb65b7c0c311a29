// png.cpp: PNG, by libspng. Stops after the last row of a region.
#include <spng.h>

#include <cstring>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "images/codec/codec.hpp"
#include "images/codec/exif.hpp"

namespace images {

namespace {

// Of one chunk that is no pixels, and of all of them.
constexpr size_t kLargestChunk = size_t{8} << 20, kAllChunks = size_t{32} << 20;

void check(int status) {
  if (status)
    refuse("PNG", std::string("'") + spng_strerror(status) + "'", "an intact file",
           "restore the file, or leave it out");
}

// As the chunk eXIf says, which may also follow the pixels: libspng reads no such chunk before it
// has decoded them. A chunk is: size (big-endian), name, bytes, checksum. Source: Extensions to the
// PNG 1.2 Specification, version 1.5.0, 3.7.
int png_orientation(Bytes bytes) {
  constexpr size_t kAround = 12;  // bytes of a chunk besides its own
  for (size_t at = 8; at + kAround <= bytes.size;) {
    const uint8_t* chunk = bytes.data + at;
    const size_t size = size_t{chunk[0]} << 24 | chunk[1] << 16 | chunk[2] << 8 | chunk[3];
    if (size > bytes.size - at - kAround) return 1;
    if (std::memcmp(chunk + 4, "eXIf", 4) == 0) return exif_orientation({chunk + 8, size});
    at += kAround + size;
  }
  return 1;
}

class Png final : public Codec {
 public:
  Header open(Bytes bytes) override {
    context_.reset(spng_ctx_new(0));
    if (!context_) throw std::bad_alloc();
    check(spng_set_chunk_limits(context_.get(), kLargestChunk, kAllChunks));
    check(spng_set_png_buffer(context_.get(), bytes.data, bytes.size));
    check(spng_get_ihdr(context_.get(), &header_));
    if (header_.width > INT32_MAX || header_.height > INT32_MAX) check(SPNG_EWIDTH);
    return {{int(header_.width), int(header_.height)}, png_orientation(bytes)};
  }

  cv::Mat read(Channels channels, int, cv::Rect region, cv::Mat* target) override {
    cv::Mat rgb = header_.interlace_method ? whole(region) : rows(region);
    context_.reset();
    if (!target) {
      if (channels == Channels::rgb) return rgb;
      converted_.create(region.size(), CV_8UC(count_of(channels)));
      target = &converted_;
    }
    if (channels == Channels::rgb)
      rgb.copyTo(*target);
    else
      cv::cvtColor(rgb, *target,
                   channels == Channels::bgr ? cv::COLOR_RGB2BGR : cv::COLOR_RGB2GRAY);
    return *target;
  }

 private:
  // The passes of an interlaced picture cover all of it.
  cv::Mat whole(cv::Rect region) {
    cv::Mat picture = scratch_.pixels({int(header_.width), int(header_.height)}, 3);
    check(spng_decode_image(context_.get(), picture.data, picture.total() * 3, SPNG_FMT_RGB8, 0));
    return picture(region);
  }

  cv::Mat rows(cv::Rect region) {
    cv::Mat kept = scratch_.pixels({int(header_.width), region.height}, 3);
    check(spng_decode_image(context_.get(), nullptr, 0, SPNG_FMT_RGB8, SPNG_DECODE_PROGRESSIVE));
    const size_t width = size_t{header_.width} * 3;
    for (int y = 0; y < region.y + region.height; ++y) {
      // Rows above the region are overwritten by its first one.
      const int status =
          spng_decode_row(context_.get(), kept.ptr(std::max(0, y - region.y)), width);
      const bool is_last = y + 1 == int(header_.height);
      if (!(is_last && status == SPNG_EOI)) check(status);
    }
    return kept.colRange(region.x, region.x + region.width);
  }

  struct Free {
    void operator()(spng_ctx* context) const { spng_ctx_free(context); }
  };
  std::unique_ptr<spng_ctx, Free> context_;
  spng_ihdr header_{};
  Scratch scratch_;
  cv::Mat converted_;
};

}  // namespace

Codec& png_codec() {
  thread_local Png codec;
  return codec;
}

}  // namespace images
