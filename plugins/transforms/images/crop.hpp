// crop.hpp: where random crops lie.
#pragma once
#include <broch/cpp/draws.hpp>
#include <optional>

#include "images/pixels.hpp"

namespace images {

// Throws Error if the picture is smaller than the crop.
cv::Rect random_crop(cv::Size picture, cv::Size crop, broch::Draws& draws);
cv::Rect center_crop(cv::Size picture, cv::Size crop);

// A crop whose sides are uniform in [least, most], at a uniform place. Sides of most that are 0 are
// those of the picture. As tensorpack's `RandomCropRandomShape`, it never touches the last row or
// column unless it is as large as the picture.
cv::Rect random_shape_crop(cv::Size picture, cv::Size least, cv::Size most, broch::Draws& draws);

// A crop of a random share of the area and a random aspect ratio: Szegedy et al., "Going deeper
// with convolutions", section 6, as fb.resnet.torch does it. No value: none fitted in 10 attempts.
struct AreaRange {
  double least_area, most_area, least_ratio, most_ratio;
};
std::optional<cv::Rect> random_area_crop(cv::Size picture, const AreaRange& range,
                                         broch::Draws& draws);

// Of an image that is resized: more would be no picture but a line, and without bounds in memory.
constexpr int kLongestSide = 65535;

// The size at which the shorter side is `shortest`. Throws Error if the longer one is too long
// then.
cv::Size resized_shortest(cv::Size picture, int shortest);

}  // namespace images
