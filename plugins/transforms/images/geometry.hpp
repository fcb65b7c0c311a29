// geometry.hpp: affine motions and deformations of pixels.
#pragma once
#include <vector>

#include "images/interpolation.hpp"
#include "images/pixels.hpp"

namespace images {

// What lies beyond the edge of an image, in the order of the words of the options.
enum class Border { constant, replicate, reflect, reflect_101, wrap };

struct BorderFill {
  Border border;
  double value;  // of constant
};

// to(matrix * (x, y, 1)) = from(x, y). to: the same type and not the same memory.
void warp(const cv::Mat& from, const cv::Matx23d& matrix, Interpolation interpolation,
          const BorderFill& border, cv::Mat& to);

// A rotation about a place, counter-clockwise, and scaling. As cv::getRotationMatrix2D.
cv::Matx23d rotation(cv::Point2d center, double degrees, double scale);

// The largest upright rectangle within a rotated one, width x height. Source:
// https://stackoverflow.com/questions/16702966
cv::Size largest_upright(cv::Size size, double degrees);

// What tensorpack's `Affine` draws.
struct AffineDraw {
  double scale = 1, dx = 0, dy = 0, shear_degrees = 0, degrees = 0;
};
// About the center of a picture of this size. has_shear: whether shearing is asked for at all.
cv::Matx23d affine(cv::Size size, const AffineDraw& draw, bool has_shear);

// Moves the pixels around anchors: the place from which a pixel is taken is shifted by the sum of
// the shifts of the anchors, weighted by exp(-distance^2 / sigma). anchors: (y, x) as shares of the
// size; shifts: (y, x) in pixels. tensorpack: `GaussianDeform`.
void gaussian_deform(const cv::Mat& from, const std::vector<cv::Point2d>& anchors,
                     const std::vector<cv::Point2d>& shifts, double sigma, cv::Mat& to);

}  // namespace images
