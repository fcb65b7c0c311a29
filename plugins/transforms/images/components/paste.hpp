// paste.hpp: the transforms that put the image on a larger background. Source: tensorpack
// imgaug/paste.py.
#pragma once
#include "images/components/with.hpp"
#include "images/crop.hpp"
#include "images/noise.hpp"

namespace images {

struct PasteOptions : MotionOptions {
  std::array<int, 2> background_shape;
  double fill, fill_std;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      shape_option("background_shape", &PasteOptions::background_shape,
                   "Height and width of the background."),
      broch::option("fill", &PasteOptions::fill, "The value of the background.").by_default(0),
      broch::option("fill_std", &PasteOptions::fill_std,
                    "Above 0: a background of normally distributed values around fill.")
          .minimum(0)
          .by_default(0));
};

class Paste : public With<PasteOptions> {
 public:
  using With::With;

 protected:
  cv::Size background_for(const Sample& sample) const {
    const cv::Size size = size_of(options_.background_shape), image = sample.size();
    if (image.width > size.width || image.height > size.height)
      refuse("image", text_of(image) + " pixels (width x height)",
             "at most the background's " + text_of(size),
             "resize or crop it before, or enlarge background_shape", BROCH_E_INVALID_ARGUMENT);
    return size;
  }
  // region: where the image goes. Masks get a background of 0.
  void paste(Sample& sample, cv::Rect region, broch::Draws& draws) const {
    const cv::Size size = size_of(options_.background_shape);
    cv::Mat background = sample.make(size, sample.image().type());
    fill(background, options_.fill, options_.fill_std, draws);
    sample.image().copyTo(background(region));
    sample.set(background);
    sample.change_masks([&](cv::Mat& mask) {
      cv::Mat larger(size, mask.type(), cv::Scalar::all(0));
      mask.copyTo(larger(region));
      mask = larger;
    });
    sample.move_coordinates({1, 0, double(region.x), 0, 1, double(region.y)});
  }
};

class CenterPaste final : public Paste {
 public:
  using Paste::Paste;
  void augment(Sample& sample, broch::Draws& draws) const override {
    paste(sample, center_crop(background_for(sample), sample.size()), draws);
  }
};

class RandomPaste final : public Paste {
 public:
  using Paste::Paste;
  void augment(Sample& sample, broch::Draws& draws) const override {
    paste(sample, random_crop(background_for(sample), sample.size(), draws), draws);
  }
};

}  // namespace images
