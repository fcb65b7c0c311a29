// mix.hpp: mixes rows of a batch: mixup and cutmix.
#pragma once
#include <broch/cpp/draws.hpp>
#include <vector>

#include "images/pixels.hpp"

namespace images {

// A number from the distribution Beta(alpha, alpha). Source: Marsaglia and Tsang, "A simple method
// for generating gamma variables", 2000.
double draw_beta(double alpha, broch::Draws& draws);
// A permutation of 0 to count - 1.
std::vector<int64_t> draw_permutation(int64_t count, broch::Draws& draws);
// A box of a share of the area of about 1 - lambda, cut off at the edges. lambda becomes the share
// that is left. Source: Yun et al., "CutMix", 2019.
cv::Rect draw_cutmix_box(cv::Size size, double& lambda, broch::Draws& draws);

// to = lambda * a + (1 - lambda) * b. uint8 is rounded to the nearest.
void mix_rows(const float* a, const float* b, int64_t count, double lambda, float* to);
void mix_rows(const uint8_t* a, const uint8_t* b, int64_t count, double lambda, uint8_t* to);

}  // namespace images
