// crop.hpp: the transforms that cut out a part. Source: tensorpack imgaug/crop.py.
#pragma once
#include "images/components/with.hpp"
#include "images/crop.hpp"

namespace images {

struct CropShapeOptions : MotionOptions {
  std::array<int, 2> crop_shape;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      shape_option("crop_shape", &CropShapeOptions::crop_shape, "Height and width of the crop."));
};

class RandomCrop final : public With<CropShapeOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    crop(sample, random_crop(sample.size(), size_of(options_.crop_shape), draws));
  }
};

class CenterCrop final : public With<CropShapeOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    crop(sample, center_crop(sample.size(), size_of(options_.crop_shape)));
  }
};

struct RandomShapeOptions : MotionOptions {
  int wmin, hmin;
  std::optional<int> wmax, hmax;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      broch::option("wmin", &RandomShapeOptions::wmin, "The minimum width.").minimum(1),
      broch::option("hmin", &RandomShapeOptions::hmin, "The minimum height.").minimum(1),
      broch::option("wmax", &RandomShapeOptions::wmax,
                    "The maximum width; null: the width of the image.")
          .minimum(1),
      broch::option("hmax", &RandomShapeOptions::hmax,
                    "The maximum height; null: the height of the image.")
          .minimum(1));
};

class RandomCropRandomShape final : public With<RandomShapeOptions> {
 public:
  RandomCropRandomShape(const broch::Host& host, const RandomShapeOptions& options)
      : With(host, options) {
    check("/wmax", options.wmin, options.wmax);
    check("/hmax", options.hmin, options.hmax);
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    crop(sample, random_shape_crop(sample.size(), {options_.wmin, options_.hmin},
                                   {options_.wmax.value_or(0), options_.hmax.value_or(0)}, draws));
  }

 private:
  static void check(const char* option, int least, const std::optional<int>& most) {
    if (most && *most < least)
      refuse(option, std::to_string(*most), "at least the minimum, " + std::to_string(least),
             "correct one of them", BROCH_E_INVALID_ARGUMENT);
  }
};

struct GoogleNetOptions : MotionOptions {
  std::array<double, 2> crop_area_fraction, aspect_ratio_range;
  int target_shape;
  Interpolation interp;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      broch::option("crop_area_fraction", &GoogleNetOptions::crop_area_fraction,
                    "Minimum and maximum area of the crop, as a fraction of the image.")
          .above(0)
          .maximum(1)
          .by_default(0.08, 1),
      broch::option("aspect_ratio_range", &GoogleNetOptions::aspect_ratio_range,
                    "Minimum and maximum ratio of the sides; in half of the crops, width and "
                    "height are swapped.")
          .above(0)
          .by_default(0.75, 1.333),
      broch::option("target_shape", &GoogleNetOptions::target_shape,
                    "Height and width of the result.")
          .minimum(1)
          .maximum(32767)
          .by_default(224),
      interp_option(&GoogleNetOptions::interp));
};

class GoogleNetRandomCropAndResize final : public With<GoogleNetOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const AreaRange range{options_.crop_area_fraction[0], options_.crop_area_fraction[1],
                          options_.aspect_ratio_range[0], options_.aspect_ratio_range[1]};
    const cv::Size target(options_.target_shape, options_.target_shape);
    if (const auto region = random_area_crop(sample.size(), range, draws)) {
      crop(sample, *region);
      return resize(sample, target, options_.interp);
    }
    sample.hold();
    resize(sample, resized_shortest(sample.size(), options_.target_shape), options_.interp);
    crop(sample, center_crop(sample.size(), target));
  }
};

}  // namespace images
