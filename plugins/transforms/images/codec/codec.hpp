// codec.hpp: reads files of one format.
#pragma once
#include <memory>

#include "images/pixels.hpp"

namespace images {

struct Header {
  cv::Size size;
  int orientation = 1;
};

// The memory of a decoder for the region that it decodes, kept for the next image unless it is
// large.
class Scratch {
 public:
  // Not initialized.
  cv::Mat pixels(cv::Size size, int channels);

 private:
  std::unique_ptr<uint8_t[]> memory_;
  size_t capacity_ = 0;
};

// Usable by one thread. A damaged file throws Error, and the codec can be used again.
class Codec {
 public:
  virtual ~Codec() = default;
  // Reads the header. The bytes are borrowed until read has returned.
  virtual Header open(Bytes bytes) = 0;
  // Whether read can decode at 1/2, 1/4 and 1/8, which rounds sizes up.
  virtual bool can_reduce() const { return false; }
  // Once after open: decodes a region of the stored picture at 1/reduction; region is in the pixels
  // of the reduced picture. With a target, which has the size of the region, the pixels are written
  // there. Otherwise the result lies in the codec's memory until its next read.
  virtual cv::Mat read(Channels channels, int reduction, cv::Rect region, cv::Mat* target) = 0;
};

// This thread's codecs.
Codec& jpeg_codec();
Codec& png_codec();
Codec& webp_codec();
// The one for these bytes, by how they begin.
Codec& codec_for(Bytes bytes);

}  // namespace images
