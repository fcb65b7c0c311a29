// image.hpp: images in the form that monitors take: uint8, (N, height, width, channels).
#pragma once
#include <cstdint>
#include <vector>

#include "broch/dlpack.h"

namespace broch::summary {

class Image {
 public:
  // data: (H,W), (H,W,C) with C in {1,3,4}, (N,H,W) or (N,H,W,C), in uint8 or in floating point
  // from 0 to 255, which is clipped and truncated. Throws base::Error (training) for anything
  // else. name: for messages.
  Image(const char* name, const broch_dl_tensor& data);

  // All images, or image k as (height, width, channels). Valid as long as this object.
  broch_dl_tensor tensor();
  broch_dl_tensor picture(int64_t k);
  int64_t count() const { return shape_[0]; }

 private:
  int64_t shape_[4];
  std::vector<uint8_t> pixels_;
};

}  // namespace broch::summary
