// decode_crop.hpp: decodes a random crop of a file, and resizes it.
#pragma once
#include "images/crop.hpp"
#include "images/decode.hpp"
#include "images/interpolation.hpp"

namespace images {

struct DecodeCrop {
  Channels channels;
  AreaRange range;
  cv::Size target;
  Interpolation interpolation;
};

// Draws the crop from the size of the picture, decodes only what it needs, at the reduction that
// suffices, and resizes it into `to`, which has the target's size and uint8 elements.
//
// The crop is the same as that of decoding everything and cropping then. Where JPEG is decoded at
// 1/r, its edges are rounded to the reduced pixels, which moves it by at most r/2 pixels of the
// picture, that is half a pixel of the result; and r x r pixels are averaged first, so the result
// is less aliased.
void decode_crop(Picture& picture, const DecodeCrop& how, broch::Draws& draws, cv::Mat& to);

}  // namespace images
