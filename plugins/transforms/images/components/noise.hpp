// noise.hpp: the transforms that add noise. Source: tensorpack imgaug/noise.py.
#pragma once
#include "images/components/with.hpp"
#include "images/noise.hpp"

namespace images {

struct JpegNoiseOptions : PixelOptions {
  std::array<int, 2> quality_range;
  bool rgb;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("quality_range", &JpegNoiseOptions::quality_range,
                    "The quality is at least the first number and less than the second.")
          .minimum(1)
          .maximum(101)
          .by_default(40, 100),
      rgb_option(&JpegNoiseOptions::rgb));
};

class JpegNoise final : public With<JpegNoiseOptions> {
 public:
  JpegNoise(const broch::Host& host, const JpegNoiseOptions& options) : With(host, options) {
    if (options.quality_range[0] >= options.quality_range[1])
      refuse("/quality_range", "no number in the range", "the first to be smaller than the second",
             "correct it", BROCH_E_INVALID_ARGUMENT);
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    const int quality =
        int(draws.integer(options_.quality_range[0], options_.quality_range[1] - 1));
    change(sample,
           [&](const cv::Mat& from, cv::Mat& to) { jpeg_noise(from, quality, options_.rgb, to); });
  }
};

struct GaussianNoiseOptions : PixelOptions {
  double sigma;
  bool clip;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("sigma", &GaussianNoiseOptions::sigma, "The standard deviation.")
                         .minimum(0)
                         .by_default(1),
                     clip_option(&GaussianNoiseOptions::clip));
};

class GaussianNoise final : public With<GaussianNoiseOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws& draws) const override {
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      add_gaussian_noise(from, options_.sigma, options_.clip, draws, to);
    });
  }
};

struct SaltPepperOptions : PixelOptions {
  double white_prob, black_prob;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     probability_option("white_prob", &SaltPepperOptions::white_prob,
                                        "The probability that an element becomes 255.", 0.05),
                     probability_option("black_prob", &SaltPepperOptions::black_prob,
                                        "The probability that an element becomes 0.", 0.05));
};

class SaltPepperNoise final : public With<SaltPepperOptions> {
 public:
  SaltPepperNoise(const broch::Host& host, const SaltPepperOptions& options) : With(host, options) {
    if (options.white_prob + options.black_prob > 1)
      refuse("/white_prob, /black_prob",
             "a sum of " + broch::number_text(options.white_prob + options.black_prob), "at most 1",
             "correct one of them", BROCH_E_INVALID_ARGUMENT);
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      salt_and_pepper(from, options_.white_prob, options_.black_prob, draws, to);
    });
  }
};

}  // namespace images
