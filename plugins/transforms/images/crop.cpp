// crop.cpp: draws the positions of crops.
#include "images/crop.hpp"

#include <cmath>

namespace images {

namespace {

void check_fits(cv::Size picture, cv::Size crop) {
  if (crop.width > picture.width || crop.height > picture.height)
    refuse("image", text_of(picture) + " pixels (width x height)",
           "at least the crop's " + text_of(crop), "resize or paste before, or crop less",
           BROCH_E_INVALID_ARGUMENT);
}

int below(broch::Draws& draws, int bound) { return int(draws.below(uint64_t(bound))); }

}  // namespace

cv::Rect random_crop(cv::Size picture, cv::Size crop, broch::Draws& draws) {
  check_fits(picture, crop);
  const int y = below(draws, picture.height - crop.height + 1);
  const int x = below(draws, picture.width - crop.width + 1);
  return {cv::Point(x, y), crop};
}

cv::Rect center_crop(cv::Size picture, cv::Size crop) {
  check_fits(picture, crop);
  return {cv::Point((picture.width - crop.width) / 2, (picture.height - crop.height) / 2), crop};
}

cv::Rect random_shape_crop(cv::Size picture, cv::Size least, cv::Size most, broch::Draws& draws) {
  if (most.width == 0) most.width = picture.width;
  if (most.height == 0) most.height = picture.height;
  check_fits(picture, most);
  check_fits(most, least);
  const int height = int(draws.integer(least.height, most.height));
  const int width = int(draws.integer(least.width, most.width));
  const int free_y = picture.height - height, free_x = picture.width - width;
  const int y = free_y == 0 ? 0 : below(draws, free_y);
  const int x = free_x == 0 ? 0 : below(draws, free_x);
  return {x, y, width, height};
}

std::optional<cv::Rect> random_area_crop(cv::Size picture, const AreaRange& range,
                                         broch::Draws& draws) {
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double area = draws.between(range.least_area, range.most_area) * double(picture.width) *
                        double(picture.height);
    const double ratio = draws.between(range.least_ratio, range.most_ratio);
    int width = int(std::sqrt(area * ratio) + 0.5), height = int(std::sqrt(area / ratio) + 0.5);
    if (draws.chance(0.5)) std::swap(width, height);
    if (width < 1 || height < 1 || width > picture.width || height > picture.height) continue;
    const int x = below(draws, picture.width - width + 1);
    const int y = below(draws, picture.height - height + 1);
    return cv::Rect(x, y, width, height);
  }
  return std::nullopt;
}

cv::Size resized_shortest(cv::Size picture, int shortest) {
  const double scale = double(shortest) / std::min(picture.width, picture.height);
  if (scale * std::max(picture.width, picture.height) > kLongestSide)
    refuse("image", text_of(picture) + " pixels (width x height)",
           "a longer side of at most " + std::to_string(kLongestSide) +
               " when the shorter one is " + std::to_string(shortest),
           "crop it before, or leave it out");
  if (picture.height < picture.width) return {int(scale * picture.width + 0.5), shortest};
  return {shortest, int(scale * picture.height + 0.5)};
}

}  // namespace images
