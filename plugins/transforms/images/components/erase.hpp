// erase.hpp: the transforms that overwrite a rectangle.
#pragma once
#include <cmath>

#include "images/components/with.hpp"
#include "images/noise.hpp"

namespace images {

struct CutoutOptions : PixelOptions {
  std::array<int, 2> h_range, w_range;
  double fill;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     shape_option("h_range", &CutoutOptions::h_range,
                                  "Minimum and maximum height of the rectangle."),
                     shape_option("w_range", &CutoutOptions::w_range,
                                  "Minimum and maximum width of the rectangle."),
                     broch::option("fill", &CutoutOptions::fill, "The fill value.").by_default(0));
};

// DeVries and Taylor, "Improved regularization of convolutional neural networks with cutout", 2017.
class RandomCutout final : public With<CutoutOptions> {
 public:
  RandomCutout(const broch::Host& host, const CutoutOptions& options) : With(host, options) {
    for (const auto& range : {options.h_range, options.w_range})
      if (range[0] > range[1])
        refuse("/h_range, /w_range",
               std::to_string(range[0]) + " before " + std::to_string(range[1]),
               "the smaller number first", "correct the order", BROCH_E_INVALID_ARGUMENT);
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    const int height = int(draws.integer(options_.h_range[0], options_.h_range[1]));
    const int width = int(draws.integer(options_.w_range[0], options_.w_range[1]));
    const cv::Size size = sample.size();
    if (height > size.height || width > size.width)
      refuse("image", text_of(size) + " pixels (width x height)",
             "at least the rectangle's " + text_of({width, height}), "make the rectangle smaller",
             BROCH_E_INVALID_ARGUMENT);
    const int x = int(draws.integer(0, size.width - width));
    const int y = int(draws.integer(0, size.height - height));
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      from.copyTo(to);
      cv::Mat region = to(cv::Rect(x, y, width, height));
      fill(region, options_.fill, 0, draws);
    });
  }
};

struct ErasingOptions : PixelOptions {
  double prob, fill, fill_std;
  std::array<double, 2> scale, ratio;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      probability_option("prob", &ErasingOptions::prob, "The probability of erasing.", 0.5),
      broch::option("scale", &ErasingOptions::scale,
                    "Minimum and maximum area of the rectangle, as a fraction of the image.")
          .above(0)
          .maximum(1)
          .by_default(0.02, 0.33),
      broch::option("ratio", &ErasingOptions::ratio,
                    "Minimum and maximum ratio of height to width.")
          .above(0)
          .by_default(0.3, 3.3),
      broch::option("fill", &ErasingOptions::fill, "The fill value.").by_default(0),
      broch::option("fill_std", &ErasingOptions::fill_std,
                    "Above 0: normally distributed values around fill.")
          .minimum(0)
          .by_default(0));
};

// Zhong et al., "Random erasing data augmentation", 2017.
class RandomErasing final : public With<ErasingOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    if (!draws.chance(options_.prob)) return;
    const cv::Size size = sample.size();
    constexpr int kAttempts = 10;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const double area = double(size.area()) * draw_from(options_.scale, draws);
      const double ratio =
          std::exp(draws.between(std::log(options_.ratio[0]), std::log(options_.ratio[1])));
      const int height = int(std::nearbyint(std::sqrt(area * ratio)));
      const int width = int(std::nearbyint(std::sqrt(area / ratio)));
      if (height < 1 || width < 1 || height >= size.height || width >= size.width) continue;
      const int y = int(draws.integer(0, size.height - height));
      const int x = int(draws.integer(0, size.width - width));
      return change(sample, [&](const cv::Mat& from, cv::Mat& to) {
        from.copyTo(to);
        cv::Mat region = to(cv::Rect(x, y, width, height));
        fill(region, options_.fill, options_.fill_std, draws);
      });
    }
  }
};

}  // namespace images
