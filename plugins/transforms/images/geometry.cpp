// geometry.cpp: matrices, and OpenCV's warping.
#include "images/geometry.hpp"

#include <cmath>

namespace images {

void warp(const cv::Mat& from, const cv::Matx23d& matrix, Interpolation interpolation,
          const BorderFill& border, cv::Mat& to) {
  constexpr int kBorders[] = {cv::BORDER_CONSTANT, cv::BORDER_REPLICATE, cv::BORDER_REFLECT,
                              cv::BORDER_REFLECT_101, cv::BORDER_WRAP};
  cv::warpAffine(from, to, matrix, from.size(), flag_of(interpolation),
                 kBorders[int(border.border)], cv::Scalar::all(border.value));
}

cv::Matx23d rotation(cv::Point2d center, double degrees, double scale) {
  const double angle = degrees * CV_PI / 180;
  const double a = scale * std::cos(angle), b = scale * std::sin(angle);
  return {a, b, (1 - a) * center.x - b * center.y, -b, a, b * center.x + (1 - a) * center.y};
}

cv::Size largest_upright(cv::Size size, double degrees) {
  const double angle = degrees / 180 * CV_PI;
  const double sine = std::abs(std::sin(angle)), cosine = std::abs(std::cos(angle));
  const double w = size.width, h = size.height;
  const bool is_wide = w >= h;
  const double longer = is_wide ? w : h, shorter = is_wide ? h : w;
  double width, height;
  if (shorter <= 2 * sine * cosine * longer) {
    // Two corners touch the longer side, the others lie on the line in the middle.
    const double x = 0.5 * shorter;
    width = is_wide ? x / sine : x / cosine;
    height = is_wide ? x / cosine : x / sine;
  } else {
    const double cosine_of_double = cosine * cosine - sine * sine;
    width = (w * cosine - h * sine) / cosine_of_double;
    height = (h * cosine - w * sine) / cosine_of_double;
  }
  return {int(std::nearbyint(width)), int(std::nearbyint(height))};
}

cv::Matx23d affine(cv::Size size, const AffineDraw& draw, bool has_shear) {
  const cv::Point2d center(size.width * 0.5 - 0.5, size.height * 0.5 - 0.5);
  cv::Matx23d m = rotation(center, draw.degrees, draw.scale);
  if (has_shear) {
    const double sine = std::sin(draw.shear_degrees * CV_PI / 180);
    const double cosine = std::cos(draw.shear_degrees * CV_PI / 180);
    const double m00 = m(0, 0), m10 = m(1, 0);
    m(0, 1) = m(0, 1) * cosine + m00 * sine;
    m(1, 1) = m(1, 1) * cosine + m10 * sine;
    // The center stays where it is.
    m(0, 2) = center.x * (1 - m00) - center.y * m(0, 1);
    m(1, 2) = -center.x * m10 + center.y * (1 - m(1, 1));
  }
  m(0, 2) += draw.dx;
  m(1, 2) += draw.dy;
  return m;
}

void gaussian_deform(const cv::Mat& from, const std::vector<cv::Point2d>& anchors,
                     const std::vector<cv::Point2d>& shifts, double sigma, cv::Mat& to) {
  cv::Mat map_x(from.size(), CV_32FC1), map_y(from.size(), CV_32FC1);
  for (int y = 0; y < from.rows; ++y)
    for (int x = 0; x < from.cols; ++x) {
      double source_x = x, source_y = y;
      for (size_t i = 0; i < anchors.size(); ++i) {
        const double dx = double(x) / from.cols - anchors[i].x;
        const double dy = double(y) / from.rows - anchors[i].y;
        const double weight = std::exp(-(dx * dx + dy * dy) / sigma);
        source_x += weight * shifts[i].x;
        source_y += weight * shifts[i].y;
      }
      map_x.at<float>(y, x) = float(source_x);
      map_y.at<float>(y, x) = float(source_y);
    }
  cv::remap(from, to, map_x, map_y, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
}

}  // namespace images
