// interpolation.hpp: the kinds of interpolation, in the order of the values of the option.
#pragma once
#include <opencv2/imgproc.hpp>

namespace images {

enum class Interpolation { nearest, linear, cubic, area, lanczos4 };

inline int flag_of(Interpolation interpolation) {
  constexpr int kFlags[] = {cv::INTER_NEAREST, cv::INTER_LINEAR, cv::INTER_CUBIC, cv::INTER_AREA,
                            cv::INTER_LANCZOS4};
  return kFlags[int(interpolation)];
}

}  // namespace images
