// size.hpp: the transforms that resize, mirror and transpose. Source: tensorpack imgaug/misc.py.
#pragma once
#include <cmath>

#include "images/components/with.hpp"
#include "images/crop.hpp"

namespace images {

struct FlipOptions : MotionOptions {
  bool horiz, vert;
  double prob;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      broch::option("horiz", &FlipOptions::horiz, "Whether to flip left and right.")
          .by_default(false),
      broch::option("vert", &FlipOptions::vert, "Whether to flip top and bottom.")
          .by_default(false),
      probability_option("prob", &FlipOptions::prob, "The probability of a flip.", 0.5));
};

class Flip final : public With<FlipOptions> {
 public:
  Flip(const broch::Host& host, const FlipOptions& options) : With(host, options) {
    if (options.horiz == options.vert)
      refuse("/horiz, /vert", options.horiz ? "both" : "none", "one of them to be true",
             "use two flips for both", BROCH_E_INVALID_ARGUMENT);
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    if (draws.chance(options_.prob)) flip(sample, options_.horiz ? 1 : 0);
  }
};

struct ResizeOptions : MotionOptions {
  std::array<int, 2> shape;
  Interpolation interp;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      shape_option("shape", &ResizeOptions::shape, "Height and width of the result."),
      interp_option(&ResizeOptions::interp));
};

class Resize final : public With<ResizeOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    resize(sample, size_of(options_.shape), options_.interp);
  }
};

struct ShortestEdgeOptions : MotionOptions {
  int size;
  Interpolation interp;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      broch::option("size", &ShortestEdgeOptions::size, "The length of the shorter side.")
          .minimum(1)
          .maximum(32767),
      interp_option(&ShortestEdgeOptions::interp));
};

class ResizeShortestEdge final : public With<ShortestEdgeOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    resize(sample, resized_shortest(sample.size(), options_.size), options_.interp);
  }
};

struct RandomResizeOptions : MotionOptions {
  std::array<double, 2> xrange;
  std::optional<std::array<double, 2>> yrange;
  bool in_pixels;
  std::array<int, 2> minimum;
  double aspect_ratio_thres;
  Interpolation interp;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      broch::option("xrange", &RandomResizeOptions::xrange,
                    "Minimum and maximum factor of the width.")
          .above(0),
      broch::option("yrange", &RandomResizeOptions::yrange,
                    "The same for the height; null: like xrange.")
          .above(0),
      broch::option("in_pixels", &RandomResizeOptions::in_pixels,
                    "Whether the ranges are in pixels; false: they are factors.")
          .by_default(false),
      broch::option("minimum", &RandomResizeOptions::minimum, "Minimum width and height in pixels.")
          .minimum(0)
          .by_default(0, 0),
      broch::option("aspect_ratio_thres", &RandomResizeOptions::aspect_ratio_thres,
                    "Maximum relative change of the aspect ratio; other sizes are drawn again. 0: "
                    "the ratio is kept, and yrange is not used.")
          .minimum(0)
          .by_default(0.15),
      interp_option(&RandomResizeOptions::interp));
};

class RandomResize final : public With<RandomResizeOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    constexpr int kAttempts = 50;
    const cv::Size old = sample.size();
    const double limit = options_.aspect_ratio_thres, ratio = double(old.width) / old.height;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const cv::Size size = draw_size(old, draws);
      const double change = std::abs(double(size.width) / size.height - ratio) / ratio;
      if (limit > 0 && change >= limit + 1e-5) continue;
      return resize(sample, size, options_.interp);
    }
    // As tensorpack does, an image that no size fits stays as it is.
  }

 private:
  cv::Size draw_size(cv::Size old, broch::Draws& draws) const {
    const double x = draw_from(options_.xrange, draws);
    double width = options_.in_pixels ? x : x * old.width, height;
    if (options_.aspect_ratio_thres == 0) {
      height = width * old.height / old.width;
    } else {
      const double y = draw_from(options_.yrange.value_or(options_.xrange), draws);
      height = options_.in_pixels ? y : y * old.height;
    }
    width = std::max(width, double(options_.minimum[0]));
    height = std::max(height, double(options_.minimum[1]));
    if (std::max(width, height) > kLongestSide)
      refuse("image", text_of(old) + " pixels (width x height)",
             "sides of at most " + std::to_string(kLongestSide) + " after it is resized",
             "make the ranges smaller, or leave it out");
    return {std::max(1, int(width + 0.5)), std::max(1, int(height + 0.5))};
  }
};

struct TransposeOptions : MotionOptions {
  double prob;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      probability_option("prob", &TransposeOptions::prob, "The probability of transposing.", 0.5));
};

class Transpose final : public With<TransposeOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    if (draws.chance(options_.prob)) transpose(sample);
  }
};

}  // namespace images
