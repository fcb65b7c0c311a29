// augmentor.cpp: moves an image with its masks, boxes and points.
#include "images/components/augmentor.hpp"

namespace images {

void crop(Sample& sample, cv::Rect region) {
  sample.set(sample.image()(region));
  sample.change_masks([&](cv::Mat& mask) { mask = mask(region); });
  sample.move_coordinates({1, 0, -double(region.x), 0, 1, -double(region.y)});
}

void resize(Sample& sample, cv::Size size, Interpolation interpolation) {
  const cv::Size old = sample.size();
  cv::Mat resized = sample.make(size, sample.image().type());
  cv::resize(sample.image(), resized, size, 0, 0, flag_of(interpolation));
  sample.set(resized);
  sample.change_masks([&](cv::Mat& mask) {
    cv::Mat smaller;
    cv::resize(mask, smaller, size, 0, 0, cv::INTER_NEAREST);
    mask = smaller;
  });
  sample.move_coordinates(
      {double(size.width) / old.width, 0, 0, 0, double(size.height) / old.height, 0});
}

void flip(Sample& sample, int axes) {
  cv::Mat flipped = sample.make();
  cv::flip(sample.image(), flipped, axes);
  sample.set(flipped);
  sample.change_masks([&](cv::Mat& mask) {
    cv::Mat other;
    cv::flip(mask, other, axes);
    mask = other;
  });
  if (axes == 1)
    sample.move_coordinates({-1, 0, double(flipped.cols), 0, 1, 0});
  else
    sample.move_coordinates({1, 0, 0, 0, -1, double(flipped.rows)});
}

void transpose(Sample& sample) {
  cv::Mat turned = sample.make({sample.size().height, sample.size().width}, sample.image().type());
  cv::transpose(sample.image(), turned);
  sample.set(turned);
  sample.change_masks([](cv::Mat& mask) {
    cv::Mat other;  // `mask = mask.t()` turns a square in place, in memory that is only lent
    cv::transpose(mask, other);
    mask = other;
  });
  sample.move_coordinates({0, 1, 0, 1, 0, 0});
}

void warp(Sample& sample, const cv::Matx23d& matrix, Interpolation interpolation,
          const BorderFill& border) {
  cv::Mat warped = sample.make();
  warp(sample.image(), matrix, interpolation, border, warped);
  sample.set(warped);
  sample.change_masks([&](cv::Mat& mask) {
    cv::Mat other(mask.size(), mask.type());
    warp(mask, matrix, Interpolation::nearest, {border.border, 0}, other);
    mask = other;
  });
  // The matrix moves the centers of pixels; coordinates count from the edges.
  const auto from_edges = [&matrix](int row) {
    return matrix(row, 2) + 0.5 - 0.5 * (matrix(row, 0) + matrix(row, 1));
  };
  sample.move_coordinates(
      {matrix(0, 0), matrix(0, 1), from_edges(0), matrix(1, 0), matrix(1, 1), from_edges(1)});
}

}  // namespace images
