// geometry.hpp: the transforms that rotate, shift, shear and deform. Source: tensorpack
// imgaug/geometry.py and deform.py.
#pragma once
#include <cmath>

#include "images/components/with.hpp"

namespace images {

struct BorderOptions : MotionOptions {
  Border border;
  double border_value;
  static constexpr auto schema =
      broch::options(MotionOptions::schema, border_option(&BorderOptions::border),
                     border_value_option(&BorderOptions::border_value));
  BorderFill fill() const { return {border, border_value}; }
};

// A whole number of pixels up to a share of a side, in either direction.
inline double draw_shift(double share, int side, broch::Draws& draws) {
  return std::nearbyint(draws.between(-share * side, share * side));
}

struct ShiftOptions : BorderOptions {
  double horiz_frac, vert_frac;
  static constexpr auto schema =
      broch::options(BorderOptions::schema,
                     broch::option("horiz_frac", &ShiftOptions::horiz_frac,
                                   "The maximum shift, as a fraction of the width.")
                         .minimum(0)
                         .below(1)
                         .by_default(0),
                     broch::option("vert_frac", &ShiftOptions::vert_frac,
                                   "The maximum shift, as a fraction of the height.")
                         .minimum(0)
                         .below(1)
                         .by_default(0));
};

class Shift final : public With<ShiftOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double dx = draw_shift(options_.horiz_frac, sample.size().width, draws);
    const double dy = draw_shift(options_.vert_frac, sample.size().height, draws);
    warp(sample, {1, 0, dx, 0, 1, dy}, Interpolation::linear, options_.fill());
  }
};

struct DegreeOptions : BorderOptions {
  double max_deg;
  std::optional<double> step_deg;
  Interpolation interp;
  static constexpr auto schema = broch::options(
      BorderOptions::schema,
      broch::option("max_deg", &DegreeOptions::max_deg, "The maximum angle, in either direction.")
          .minimum(0)
          .maximum(180)
          .unit("degrees"),
      broch::option("step_deg", &DegreeOptions::step_deg,
                    "Angles are multiples of this number, which must divide 180; needs a max_deg "
                    "of 180. null: any angle.")
          .above(0)
          .unit("degrees"),
      interp_option(&DegreeOptions::interp));

  void check() const {
    if (step_deg && (max_deg != 180 || std::fmod(180, *step_deg) != 0))
      refuse("/step_deg", broch::number_text(*step_deg), "a divisor of 180, with a max_deg of 180",
             "correct one of them", BROCH_E_INVALID_ARGUMENT);
  }
  double draw(broch::Draws& draws) const {
    const double degrees = draws.between(-max_deg, max_deg);
    return step_deg ? std::floor(degrees / *step_deg) * *step_deg : degrees;
  }
};

struct RotationOptions : DegreeOptions {
  std::array<double, 2> center_range;
  static constexpr auto schema = broch::options(
      DegreeOptions::schema,
      broch::option("center_range", &RotationOptions::center_range,
                    "The range of the center of the rotation, as fractions of the sides.")
          .by_default(0, 1));
};

class Rotation final : public With<RotationOptions> {
 public:
  Rotation(const broch::Host& host, const RotationOptions& options) : With(host, options) {
    options.check();
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double x = draw_from(options_.center_range, draws) * sample.size().width;
    const double y = draw_from(options_.center_range, draws) * sample.size().height;
    const cv::Matx23d matrix = rotation({x - 0.5, y - 0.5}, options_.draw(draws), 1);
    warp(sample, matrix, options_.interp, options_.fill());
  }
};

// The border is not seen, apart from rounding; tensorpack's is constant.
class RotationAndCropValid final : public With<DegreeOptions> {
 public:
  RotationAndCropValid(const broch::Host& host, const DegreeOptions& options)
      : With(host, options) {
    options.check();
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    sample.hold();
    const double degrees = options_.draw(draws);
    const cv::Size size = sample.size();
    const cv::Point2d center(size.width * 0.5, size.height * 0.5);
    warp(sample, rotation(center - cv::Point2d(0.5, 0.5), degrees, 1), options_.interp,
         options_.fill());
    const cv::Size largest = largest_upright(size, degrees);
    const int width = std::clamp(largest.width, 1, size.width);
    const int height = std::clamp(largest.height, 1, size.height);
    crop(sample, {int(center.x - width * 0.5), int(center.y - height * 0.5), width, height});
  }
};

struct AffineOptions : BorderOptions {
  std::optional<std::array<double, 2>> scale, translate_frac;
  double rotate_max_deg, shear;
  Interpolation interp;
  static constexpr auto schema = broch::options(
      BorderOptions::schema,
      broch::option("scale", &AffineOptions::scale, "Minimum and maximum factor; null: 1.")
          .above(0),
      broch::option("translate_frac", &AffineOptions::translate_frac,
                    "The maximum shifts, as fractions of the width and of the height.")
          .minimum(0),
      broch::option("rotate_max_deg", &AffineOptions::rotate_max_deg,
                    "The maximum angle, in either direction.")
          .minimum(0)
          .by_default(0)
          .unit("degrees"),
      broch::option("shear", &AffineOptions::shear, "The maximum shear, in either direction.")
          .minimum(0)
          .maximum(180)
          .by_default(0)
          .unit("degrees"),
      interp_option(&AffineOptions::interp));
};

class Affine final : public With<AffineOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const cv::Size size = sample.size();
    AffineDraw draw;
    if (options_.scale) draw.scale = draw_from(*options_.scale, draws);
    if (const auto& shares = options_.translate_frac) {
      draw.dx = draw_shift((*shares)[0], size.width, draws);
      draw.dy = draw_shift((*shares)[1], size.height, draws);
    }
    const bool has_shear = options_.shear > 0;
    if (has_shear) draw.shear_degrees = draws.between(-options_.shear, options_.shear);
    draw.degrees = draws.between(-options_.rotate_max_deg, options_.rotate_max_deg);
    warp(sample, affine(size, draw, has_shear), options_.interp, options_.fill());
  }
};

struct DeformOptions : PixelOptions {
  std::vector<std::array<double, 2>> anchors;
  double sigma;
  std::optional<double> randrange;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("anchors", &DeformOptions::anchors,
                    "Centers of the deformation: y and x, as fractions of the sides.")
          .min_items(1),
      broch::option("sigma", &DeformOptions::sigma,
                    "The reach of an anchor: at distance d, as a fraction of the sides, its weight "
                    "is exp(-d^2 / sigma).")
          .above(0)
          .by_default(0.5),
      broch::option("randrange", &DeformOptions::randrange,
                    "The maximum shift in pixels; null: an eighth of the height.")
          .minimum(0));
};

class GaussianDeform final : public With<DeformOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double most = options_.randrange.value_or(sample.size().height / 8.0);
    std::vector<cv::Point2d> anchors, shifts;
    for (const auto& [y, x] : options_.anchors) {
      anchors.emplace_back(x, y);
      const double dy = draws.between(-most, most), dx = draws.between(-most, most);
      shifts.emplace_back(dx, dy);
    }
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      gaussian_deform(from, anchors, shifts, options_.sigma, to);
    });
  }
};

}  // namespace images
