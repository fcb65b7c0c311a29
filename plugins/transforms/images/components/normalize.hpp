// normalize.hpp: pads, crops, flips and normalizes a uint8 image in one pass.
#pragma once
#include "images/components/decode.hpp"
#include "images/normalize.hpp"

namespace images {

class CropFlipNormalize final : public broch::Transform {
 public:
  enum class Layout { hwc, chw };
  struct Options : PixelOptions {
    int pad, pad_value;
    std::optional<std::array<int, 2>> crop_shape;
    double flip;
    std::vector<double> mean, std;
    Layout layout;
    static constexpr auto schema = broch::options(
        PixelOptions::schema,
        broch::option("pad", &Options::pad, "Pixels added on each side before the crop.")
            .minimum(0)
            .maximum(4096)
            .by_default(0),
        broch::option("pad_value", &Options::pad_value, "The value of the added pixels.")
            .minimum(0)
            .maximum(255)
            .by_default(0),
        broch::option(
            "crop_shape", &Options::crop_shape,
            "Height and width of the random crop; null: those of the image before it is padded.")
            .minimum(1)
            .maximum(32767),
        broch::option("flip", &Options::flip, "The probability of a horizontal flip.")
            .minimum(0)
            .maximum(1)
            .by_default(0.5),
        broch::option("mean", &Options::mean,
                      "The mean, in units of pixels from 0 to 255: one number, or one per channel.")
            .min_items(1)
            .by_default(0),
        broch::option("std", &Options::std, "The standard deviation, in the same units.")
            .above(0)
            .min_items(1)
            .by_default(255),
        broch::option("layout", &Options::layout,
                      "The layout of the image: height, width, channels or channels, height, "
                      "width. The result is always chw.")
            .one_of("hwc", "chw")
            .by_default("hwc"));
  };
  CropFlipNormalize(const broch::Host& host, const Options& options)
      : place_(host), options_(options) {
    for (int channels = 1; channels <= 4; ++channels)
      if (fits(options.mean, channels) && fits(options.std, channels))
        normalizations_[size_t(channels)].emplace(options.mean, options.std, channels);
  }

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    const uint32_t index = place_.image.in(in);
    replace_component(in, out, index,
                      [&] { about(place_.image, [&] { normalize(in, out, index, draws); }); });
  }

 private:
  static bool fits(const std::vector<double>& values, int channels) {
    return values.size() == 1 || values.size() == size_t(channels);
  }

  PixelView view(const broch_dl_tensor& tensor) const {
    const bool is_planes = options_.layout == Layout::chw;
    const auto pixels = broch::view_as<const uint8_t>(tensor);
    if (tensor.ndim == 2)
      return view_of_planes(pixels.data(), 1, {int(tensor.shape[1]), int(tensor.shape[0])});
    const int64_t channels = tensor.ndim == 3 ? tensor.shape[is_planes ? 0 : 2] : 0;
    if (channels < 1 || channels > 4)
      refuse(
          "image",
          std::to_string(tensor.ndim) + " dimensions and " + std::to_string(channels) + " channels",
          "2 or 3 dimensions and 1 to 4 channels", "correct the option layout, or the image",
          BROCH_E_INVALID_ARGUMENT);
    if (is_planes)
      return view_of_planes(pixels.data(), int(channels),
                            {int(tensor.shape[2]), int(tensor.shape[1])});
    const cv::Size size(int(tensor.shape[1]), int(tensor.shape[0]));
    return {pixels.data(), size, int(channels), size.width * channels, channels, 1};
  }

  void normalize(const broch::PointReader& in, broch::PointWriter& out, uint32_t index,
                 broch::Draws& draws) const {
    const PixelView from = view(in.view(index));
    const auto& normalization = normalizations_[size_t(from.channels)];
    if (!normalization) Normalization(options_.mean, options_.std, from.channels);  // throws
    const cv::Size padded(from.size.width + 2 * options_.pad, from.size.height + 2 * options_.pad);
    const cv::Size size = options_.crop_shape
                              ? cv::Size((*options_.crop_shape)[1], (*options_.crop_shape)[0])
                              : from.size;
    const cv::Rect window =
        random_crop(padded, size, draws) - cv::Point(options_.pad, options_.pad);
    const bool mirrored = draws.chance(options_.flip);
    float* to = out.allocate<float>({from.channels, size.height, size.width}, in.name(index));
    crop_flip_normalize(from, window, mirrored, uint8_t(options_.pad_value), *normalization, to);
  }

  Places place_;
  Options options_;
  std::optional<Normalization> normalizations_[5];  // by the number of channels
};

}  // namespace images
