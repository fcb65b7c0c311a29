// convert.hpp: the transforms between color spaces and element types. Source: tensorpack
// imgaug/convert.py.
#pragma once
#include "images/color.hpp"
#include "images/components/with.hpp"

namespace images {

struct ColorSpaceOptions : PixelOptions {
  enum class Mode {};  // in the order of the words and of kCodes
  Mode mode;
  bool keepdims;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("mode", &ColorSpaceOptions::mode, "The source and the target color space.")
          .one_of("rgb_to_bgr", "rgb_to_gray", "bgr_to_gray", "gray_to_rgb", "rgb_to_hsv",
                  "bgr_to_hsv", "hsv_to_rgb", "hsv_to_bgr", "rgb_to_lab", "bgr_to_lab",
                  "lab_to_rgb", "lab_to_bgr", "rgb_to_ycrcb", "bgr_to_ycrcb", "ycrcb_to_rgb",
                  "ycrcb_to_bgr"),
      broch::option("keepdims", &ColorSpaceOptions::keepdims,
                    "Whether a gray image keeps a dimension with one channel.")
          .by_default(true));
};

// cv::cvtColor refuses what does not fit with a message of its own.
inline void convert_color(Sample& sample, int code, int channels) {
  try {
    cv::Mat to = sample.make(sample.size(), CV_MAKETYPE(sample.image().depth(), channels));
    cv::cvtColor(sample.image(), to, code);
    sample.set(to);
  } catch (const cv::Exception&) {
    refuse("image", std::to_string(sample.image().channels()) + " channels",
           "those of the color space that is converted", "correct the mode",
           BROCH_E_INVALID_ARGUMENT);
  }
}

class ColorSpace final : public With<ColorSpaceOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    constexpr int kCodes[] = {
        cv::COLOR_RGB2BGR,   cv::COLOR_RGB2GRAY,  cv::COLOR_BGR2GRAY,  cv::COLOR_GRAY2RGB,
        cv::COLOR_RGB2HSV,   cv::COLOR_BGR2HSV,   cv::COLOR_HSV2RGB,   cv::COLOR_HSV2BGR,
        cv::COLOR_RGB2Lab,   cv::COLOR_BGR2Lab,   cv::COLOR_Lab2RGB,   cv::COLOR_Lab2BGR,
        cv::COLOR_RGB2YCrCb, cv::COLOR_BGR2YCrCb, cv::COLOR_YCrCb2RGB, cv::COLOR_YCrCb2BGR};
    const int code = kCodes[int(options_.mode)];
    const bool is_gray = code == cv::COLOR_RGB2GRAY || code == cv::COLOR_BGR2GRAY;
    if (is_gray) sample.keep_channels(options_.keepdims);
    convert_color(sample, code, is_gray ? 1 : 3);
  }
};

struct GrayscaleOptions : PixelOptions {
  bool keepdims, rgb, keepshape;
  static constexpr auto schema =
      broch::options(PixelOptions::schema,
                     broch::option("keepdims", &GrayscaleOptions::keepdims,
                                   "Whether the result keeps a dimension with one channel.")
                         .by_default(true),
                     rgb_option(&GrayscaleOptions::rgb),
                     broch::option("keepshape", &GrayscaleOptions::keepshape,
                                   "Whether the result has three equal channels.")
                         .by_default(false));
};

class Grayscale final : public With<GrayscaleOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    if (options_.keepshape) sample.hold();
    sample.keep_channels(options_.keepdims || options_.keepshape);
    convert_color(sample, options_.rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY, 1);
    if (options_.keepshape) convert_color(sample, cv::COLOR_GRAY2RGB, 3);
  }
};

class ToUint8 final : public With<PixelOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    cv::Mat to = sample.make(sample.size(), CV_8UC(sample.image().channels()));
    to_uint8(sample.image(), to);
    sample.set(to);
  }
};

class ToFloat32 final : public With<PixelOptions> {
 public:
  using With::With;
  void augment(Sample& sample, broch::Draws&) const override {
    cv::Mat to = sample.make(sample.size(), CV_32FC(sample.image().channels()));
    sample.image().convertTo(to, CV_32F);
    sample.set(to);
  }
};

}  // namespace images
