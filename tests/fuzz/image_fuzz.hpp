// image_fuzz.hpp: any bytes as a picture of one format: pixels or an Error.
#pragma once
#include "images/codec/codec.hpp"

namespace images {

inline void fuzz(Codec& codec, const uint8_t* data, size_t size) {
  if (size == 0) return;
  try {
    const cv::Size all = codec.open({data + 1, size - 1}).size;
    if (all.area() < 1 || double(all.width) * all.height > 1 << 20) return;
    // The first byte chooses the channels, the reduction and the region.
    const int reduction = codec.can_reduce() ? 1 << (data[0] >> 2 & 3) : 1;
    const cv::Size reduced((all.width + reduction - 1) / reduction,
                           (all.height + reduction - 1) / reduction);
    const cv::Rect region = data[0] & 16
                                ? cv::Rect({0, 0}, reduced)
                                : cv::Rect(reduced.width / 3, reduced.height / 3,
                                           (reduced.width + 2) / 3, (reduced.height + 2) / 3);
    codec.read(Channels(data[0] % 3), reduction, region, nullptr);
  } catch (const broch::Error&) {
  }
}

}  // namespace images
