// color.hpp: the transforms that change values. Source: tensorpack imgaug/imgproc.py.
#pragma once
#include "images/color.hpp"
#include "images/components/with.hpp"

namespace images {

struct HueOptions : PixelOptions {
  std::array<double, 2> range;
  bool rgb;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("range", &HueOptions::range,
                                   "Minimum and maximum offset, in units of 2 degrees of hue.")
                         .by_default(0, 180),
                     rgb_option(&HueOptions::rgb));
};

class Hue final : public With<HueOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double hue = draw_from(options_.range, draws);
    change(sample,
           [&](const cv::Mat& from, cv::Mat& to) { shift_hue(from, hue, options_.rgb, to); });
  }
};

struct SaturationOptions : PixelOptions {
  double alpha;
  bool rgb, clip;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("alpha", &SaturationOptions::alpha,
                                   "The factor is between 1 - alpha and 1 + alpha.")
                         .minimum(0)
                         .below(1)
                         .by_default(0.4),
                     rgb_option(&SaturationOptions::rgb), clip_option(&SaturationOptions::clip));
};

class Saturation final : public With<SaturationOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double factor = 1 + draws.between(-options_.alpha, options_.alpha);
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      change_saturation(from, factor, options_.rgb, options_.clip, to);
    });
  }
};

struct BrightnessOptions : PixelOptions {
  double delta;
  bool clip;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("delta", &BrightnessOptions::delta, "The number is between -delta and delta.")
          .above(0),
      clip_option(&BrightnessOptions::clip));
};

class Brightness final : public With<BrightnessOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double delta = draws.between(-options_.delta, options_.delta);
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      add_brightness(from, delta, options_.clip, to);
    });
  }
};

struct BrightnessScaleOptions : PixelOptions {
  std::array<double, 2> range;
  bool clip;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("range", &BrightnessScaleOptions::range, "Minimum and maximum factor."),
      clip_option(&BrightnessScaleOptions::clip));
};

class BrightnessScale final : public With<BrightnessScaleOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double factor = draw_from(options_.range, draws);
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      scale_brightness(from, factor, options_.clip, to);
    });
  }
};

struct ContrastOptions : PixelOptions {
  std::array<double, 2> factor_range;
  std::optional<bool> rgb;
  bool clip;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("factor_range", &ContrastOptions::factor_range, "Minimum and maximum factor."),
      broch::option("rgb", &ContrastOptions::rgb,
                    "true or false: use the mean of the gray image, computed from red, green, blue "
                    "(true) or blue, green, red (false); null: each channel has its own mean."),
      clip_option(&ContrastOptions::clip));
};

class Contrast final : public With<ContrastOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double factor = draw_from(options_.factor_range, draws);
    const ContrastMean mean = !options_.rgb   ? ContrastMean::per_channel
                              : *options_.rgb ? ContrastMean::gray_of_rgb
                                              : ContrastMean::gray_of_bgr;
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      change_contrast(from, factor, mean, options_.clip, to);
    });
  }
};

struct GammaOptions : PixelOptions {
  std::array<double, 2> range;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("range", &GammaOptions::range, "Minimum and maximum gamma; 0 changes nothing.")
          .above(-1)
          .by_default(-0.5, 0.5));
};

class Gamma final : public With<GammaOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    const double gamma = draw_from(options_.range, draws);
    change(sample, [&](const cv::Mat& from, cv::Mat& to) { change_gamma(from, gamma, to); });
  }
};

struct BlurOptions : PixelOptions {
  std::array<int, 2> size_range;
  std::array<double, 2> sigma_range;
  bool symmetric;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("size_range", &BlurOptions::size_range,
                                   "The window has 2 * size + 1 pixels. size is random, at least "
                                   "the first number and less than the second.")
                         .minimum(0)
                         .maximum(100)
                         .by_default(0, 3),
                     broch::option("sigma_range", &BlurOptions::sigma_range,
                                   "Minimum and maximum standard deviation in pixels; 0: derived "
                                   "from the size of the window.")
                         .minimum(0)
                         .by_default(0, 0),
                     broch::option("symmetric", &BlurOptions::symmetric,
                                   "Whether the window is the same in x and y.")
                         .by_default(true));
};

class GaussianBlur final : public With<BlurOptions> {
 public:
  GaussianBlur(const broch::Host& host, const BlurOptions& options) : With(host, options) {
    if (options.size_range[0] >= options.size_range[1])
      refuse("/size_range", "no number in the range", "the first to be smaller than the second",
             "correct it", BROCH_E_INVALID_ARGUMENT);
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    // Not as two arguments of one call: their order is the compiler's choice.
    const int height = draw_window(draws), width = draw_window(draws);
    cv::Size window(width, height);
    double sigma_x = draw_from(options_.sigma_range, draws);
    double sigma_y = draw_from(options_.sigma_range, draws);
    if (options_.symmetric) {
      window.height = window.width;
      sigma_y = sigma_x;
    }
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      cv::GaussianBlur(from, to, window, sigma_x, sigma_y, cv::BORDER_REPLICATE);
    });
  }

 private:
  int draw_window(broch::Draws& draws) const {
    return int(draws.integer(options_.size_range[0], options_.size_range[1] - 1)) * 2 + 1;
  }
};

struct LightingOptions : PixelOptions {
  double std;
  std::array<double, 3> eigval;
  std::array<std::array<double, 3>, 3> eigvec;
  bool clip;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("std", &LightingOptions::std, "The standard deviation of the factors.")
          .minimum(0),
      broch::option("eigval", &LightingOptions::eigval,
                    "The eigenvalues of the covariance of the channels."),
      broch::option("eigvec", &LightingOptions::eigvec,
                    "Their eigenvectors, which are the columns of this matrix."),
      clip_option(&LightingOptions::clip));
};

// Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", 2012.
class Lighting final : public With<LightingOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    std::array<float, 3> factors, light{};
    for (size_t i = 0; i < 3; ++i)
      factors[i] = float(draws.normal() * options_.std) * float(options_.eigval[i]);
    for (size_t c = 0; c < 3; ++c)
      for (size_t i = 0; i < 3; ++i) light[c] += float(options_.eigvec[c][i]) * factors[i];
    change(sample,
           [&](const cv::Mat& from, cv::Mat& to) { add_light(from, light, options_.clip, to); });
  }
};

struct ClipOptions : PixelOptions {
  double min, max;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("min", &ClipOptions::min, "The smallest value.").by_default(0),
                     broch::option("max", &ClipOptions::max, "The largest value.").by_default(255));
};

class Clip final : public With<ClipOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    change(sample,
           [&](const cv::Mat& from, cv::Mat& to) { clip(from, options_.min, options_.max, to); });
  }
};

struct RangeOptions : PixelOptions {
  double min, max;
  bool all_channel;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("min", &RangeOptions::min, "The new minimum.").by_default(0),
                     broch::option("max", &RangeOptions::max, "The new maximum.").by_default(255),
                     broch::option("all_channel", &RangeOptions::all_channel,
                                   "true: all channels together; false: each channel separately.")
                         .by_default(true));
};

class MinMaxNormalize final : public With<RangeOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    cv::Mat to = sample.make(sample.size(), CV_32FC(sample.image().channels()));
    normalize_range(sample.image(), options_.min, options_.max, options_.all_channel, to);
    sample.set(to);
  }
};

struct VarianceOptions : PixelOptions {
  bool all_channel;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("all_channel", &VarianceOptions::all_channel,
                                   "true: all channels together; false: each channel separately.")
                         .by_default(true));
};

class MeanVarianceNormalize final : public With<VarianceOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    cv::Mat to = sample.make(sample.size(), CV_32FC(sample.image().channels()));
    normalize_variance(sample.image(), options_.all_channel, to);
    sample.set(to);
  }
};

}  // namespace images
