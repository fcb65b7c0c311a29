// jpeg_encoder.hpp: pixels to a JPEG file in memory.
#pragma once
#include <vector>

#include "images/pixels.hpp"

namespace images {

// uint8 pixels; chroma at half resolution, as libjpeg and OpenCV do by default.
std::vector<uint8_t> encode_jpeg(const cv::Mat& pixels, Channels channels, int quality);

}  // namespace images
