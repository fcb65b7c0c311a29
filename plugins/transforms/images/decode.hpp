// decode.hpp: opens the content of a file, and decodes what is needed of it.
#pragma once
#include "images/codec/codec.hpp"
#include "images/codec/exif.hpp"

namespace images {

// A file whose header has been read. Use it on the thread that made it, one at a time.
class Picture {
 public:
  // Throws Error if it has more than max_pixels, before any is decoded. turned: as the Exif
  // orientation says; otherwise as it is stored.
  Picture(Bytes bytes, int64_t max_pixels, bool turned);
  // As it is seen.
  cv::Size size() const { return turn_.turned(stored_); }
  // The largest reduction (1, 2, 4 or 8) at which a region of this size has at least this size.
  int reduction_for(cv::Size region, cv::Size least) const;
  cv::Size reduced(int reduction) const { return reduced(size(), reduction); }
  // Once: the pixels of a region of the reduced picture. With a target, which has the size of the
  // region and uint8 elements, they are written there; otherwise they lie in memory of this thread
  // until it opens the next picture.
  cv::Mat read(Channels channels, int reduction, cv::Rect region, cv::Mat* target = nullptr);

 private:
  static cv::Size reduced(cv::Size size, int reduction) {
    return {(size.width + reduction - 1) / reduction, (size.height + reduction - 1) / reduction};
  }

  Codec& codec_;
  cv::Size stored_;
  Turn turn_{1};
};

}  // namespace images
