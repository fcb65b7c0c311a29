// augmentor.hpp: the base of transforms that change one image, and what moves with it.
#pragma once
#include "images/components/sample.hpp"
#include "images/geometry.hpp"

namespace images {

class Augmentor : public broch::Transform {
 public:
  explicit Augmentor(const broch::Host& host) : places_(host) {}
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) final {
    Sample sample(in, out, places_);
    augment(sample, draws);
    sample.finish();
  }
  virtual void augment(Sample& sample, broch::Draws& draws) const = 0;

 private:
  Places places_;
};

// The motions. Coordinates and masks follow; masks are not interpolated.
void crop(Sample& sample, cv::Rect region);
void resize(Sample& sample, cv::Size size, Interpolation interpolation);
// axes: as in cv::flip, 0 vertically, 1 horizontally.
void flip(Sample& sample, int axes);
void transpose(Sample& sample);
void warp(Sample& sample, const cv::Matx23d& matrix, Interpolation interpolation,
          const BorderFill& border);

// A height and a width.
inline cv::Size size_of(const std::array<int, 2>& height_width) {
  return {height_width[1], height_width[0]};
}

}  // namespace images
