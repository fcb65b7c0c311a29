// decode_crop.cpp: GoogleNet's crop, before decoding.
#include "images/decode_crop.hpp"

namespace images {

namespace {

cv::Rect reduced_region(cv::Rect region, int reduction, cv::Size limit) {
  const auto reduce = [&](int at) { return (at + reduction / 2) / reduction; };
  const int left = reduce(region.x), top = reduce(region.y);
  const int right = std::min(limit.width, std::max(left + 1, reduce(region.x + region.width)));
  const int bottom = std::min(limit.height, std::max(top + 1, reduce(region.y + region.height)));
  return {left, top, right - left, bottom - top};
}

// What is cut out of a picture whose shorter side was resized to the target's larger one.
void center_of_resized(Picture& picture, const DecodeCrop& how, cv::Mat& to) {
  const cv::Size resized =
      resized_shortest(picture.size(), std::max(how.target.width, how.target.height));
  const int reduction = picture.reduction_for(picture.size(), resized);
  const cv::Mat pixels =
      picture.read(how.channels, reduction, cv::Rect({0, 0}, picture.reduced(reduction)));
  cv::Mat scaled;
  cv::resize(pixels, scaled, resized, 0, 0, flag_of(how.interpolation));
  scaled(center_crop(resized, how.target)).copyTo(to);
}

}  // namespace

void decode_crop(Picture& picture, const DecodeCrop& how, broch::Draws& draws, cv::Mat& to) {
  const std::optional<cv::Rect> crop = random_area_crop(picture.size(), how.range, draws);
  if (!crop) return center_of_resized(picture, how, to);
  const int reduction = picture.reduction_for(crop->size(), how.target);
  const cv::Rect region = reduced_region(*crop, reduction, picture.reduced(reduction));
  if (region.size() == how.target) {
    picture.read(how.channels, reduction, region, &to);
    return;
  }
  const cv::Mat pixels = picture.read(how.channels, reduction, region);
  cv::resize(pixels, to, how.target, 0, 0, flag_of(how.interpolation));
}

}  // namespace images
