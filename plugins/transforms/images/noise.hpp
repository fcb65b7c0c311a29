// noise.hpp: random changes of single pixels, and what JPEG does to them. from and to have the same
// size and type.
#pragma once
#include <broch/cpp/draws.hpp>

#include "images/pixels.hpp"

namespace images {

void add_gaussian_noise(const cv::Mat& from, double sigma, bool clip, broch::Draws& draws,
                        cv::Mat& to);
// Sets elements to 255 or to 0, each channel on its own.
void salt_and_pepper(const cv::Mat& from, double white, double black, broch::Draws& draws,
                     cv::Mat& to);
// Encodes as JPEG of this quality, 1 to 100, and decodes. 1 or 3 channels.
void jpeg_noise(const cv::Mat& from, int quality, bool rgb, cv::Mat& to);
// Fills with the value, or with normally distributed values around it. float32 is not clipped:
// after a normalization, its values lie around 0.
void fill(cv::Mat& region, double value, double deviation, broch::Draws& draws);

}  // namespace images
