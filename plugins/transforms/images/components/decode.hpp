// decode.hpp: the transforms that decode files.
#pragma once
#include "images/components/places.hpp"
#include "images/decode_crop.hpp"
#include "images/normalize.hpp"

namespace images {

// Replaces component 'places.image' of a point; replace() makes the one that takes its place.
template <class Replace>
void replace_component(const broch::PointReader& in, broch::PointWriter& out, uint32_t index,
                       const Replace& replace) {
  for (uint32_t i = 0, count = in.size(); i < count; ++i) {
    if (i == index)
      replace();
    else
      in.move(i, out);
  }
}

// The content of a file: a component of uint8 in one dimension.
inline Bytes file_in(const broch::PointReader& point, uint32_t index) {
  const broch_dl_tensor tensor = point.view(index);
  if (tensor.ndim != 1 || broch::dtype_of(tensor.dtype) != BROCH_UINT8)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       std::string("found ") + broch::dtype_name(broch::dtype_of(tensor.dtype)) +
                           " of " + std::to_string(tensor.ndim) +
                           " dimensions, expected the bytes of a file: uint8 of one dimension; "
                           "name the component that holds the file, and do not decode it twice");
  const auto bytes = broch::view_as<const uint8_t>(tensor);
  return {bytes.data(), bytes.size()};
}

struct FileOptions : PixelOptions {
  Channels channels;
  int64_t max_pixels;
  bool exif;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option("channels", &FileOptions::channels, "The channels of the result.")
          .one_of("rgb", "bgr", "gray")
          .by_default("rgb"),
      broch::option("max_pixels", &FileOptions::max_pixels,
                    "Maximum number of pixels; a file whose header claims more is an error.")
          .minimum(1)
          .by_default(100000000),
      broch::option("exif", &FileOptions::exif,
                    "Whether to rotate the image as its Exif orientation says.")
          .by_default(true));
};

// Runs decode; an error names the component.
template <class Decode>
void about(const ComponentName& place, const Decode& decode) {
  try {
    decode();
  } catch (const broch::Error& error) {
    throw broch::Error(error.status(), "component " + place.text() + ": " + error.what());
  }
}

class DecodeImage final : public broch::Transform {
 public:
  struct Options : FileOptions {
    std::optional<int> min_size;
    static constexpr auto schema = broch::options(
        FileOptions::schema,
        broch::option("min_size", &Options::min_size,
                      "A JPEG is decoded at 1/2, 1/4 or 1/8 of its size if the shorter side still "
                      "has at least this many pixels; null: always at full size.")
            .minimum(1));
  };
  DecodeImage(const broch::Host& host, const Options& options) : place_(host), options_(options) {}

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    const uint32_t index = place_.image.in(in);
    replace_component(in, out, index,
                      [&] { about(place_.image, [&] { decode(in, out, index); }); });
  }

 private:
  void decode(const broch::PointReader& in, broch::PointWriter& out, uint32_t index) const {
    Picture picture(file_in(in, index), options_.max_pixels, options_.exif);
    const int least = options_.min_size.value_or(0);
    const int reduction = least ? picture.reduction_for(picture.size(), {least, least}) : 1;
    const cv::Size size = picture.reduced(reduction);
    const int channels = count_of(options_.channels);
    cv::Mat pixels(size, CV_8UC(channels),
                   out.allocate<uint8_t>({size.height, size.width, channels}, in.name(index)));
    picture.read(options_.channels, reduction, cv::Rect({0, 0}, size), &pixels);
  }

  Places place_;
  Options options_;
};

class DecodeCropTransform final : public broch::Transform {
 public:
  struct Options : FileOptions {
    std::array<double, 2> crop_area_fraction, aspect_ratio_range;
    std::array<int, 2> target_shape;
    Interpolation interp;
    double flip;
    std::optional<std::vector<double>> mean, std;
    static constexpr auto schema = broch::options(
        FileOptions::schema,
        broch::option("target_shape", &Options::target_shape, "Height and width of the result.")
            .minimum(1)
            .maximum(32767)
            .by_default(224, 224),
        broch::option("crop_area_fraction", &Options::crop_area_fraction,
                      "Minimum and maximum area of the crop, as a fraction of the image.")
            .above(0)
            .maximum(1)
            .by_default(0.08, 1),
        broch::option("aspect_ratio_range", &Options::aspect_ratio_range,
                      "Minimum and maximum ratio of the sides; in half of the crops, width and "
                      "height are swapped.")
            .above(0)
            .by_default(0.75, 1.333),
        broch::option("interp", &Options::interp, "The interpolation of pixels.")
            .one_of("nearest", "linear", "cubic", "area", "lanczos4")
            .by_default("linear"),
        broch::option("flip", &Options::flip, "The probability of a horizontal flip.")
            .minimum(0)
            .maximum(1)
            .by_default(0),
        broch::option("mean", &Options::mean,
                      "The mean, in units of pixels from 0 to 255: one number, or one per channel. "
                      "With mean or std, the result is float32 of shape (channels, height, width); "
                      "without both, uint8 of shape (height, width, channels)."),
        broch::option("std", &Options::std,
                      "The standard deviation, in the same units; null: 255, if there is a mean.")
            .above(0));
  };
  DecodeCropTransform(const broch::Host& host, const Options& options)
      : place_(host),
        options_(options),
        how_{options.channels,
             {options.crop_area_fraction[0], options.crop_area_fraction[1],
              options.aspect_ratio_range[0], options.aspect_ratio_range[1]},
             {options.target_shape[1], options.target_shape[0]},
             options.interp} {
    if (options.mean || options.std)
      normalization_.emplace(options.mean.value_or(std::vector<double>{0}),
                             options.std.value_or(std::vector<double>{255}),
                             count_of(options.channels));
  }

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    const uint32_t index = place_.image.in(in);
    replace_component(in, out, index,
                      [&] { about(place_.image, [&] { decode(in, out, index, draws); }); });
  }

 private:
  void decode(const broch::PointReader& in, broch::PointWriter& out, uint32_t index,
              broch::Draws& draws) const {
    Picture picture(file_in(in, index), options_.max_pixels, options_.exif);
    const cv::Size size = how_.target;
    const int channels = count_of(how_.channels);
    if (normalization_) {
      thread_local cv::Mat pixels;
      pixels.create(size, CV_8UC(channels));
      images::decode_crop(picture, how_, draws, pixels);
      const bool mirrored = draws.chance(options_.flip);
      float* to = out.allocate<float>({channels, size.height, size.width}, in.name(index));
      crop_flip_normalize(view_of(pixels), cv::Rect({0, 0}, size), mirrored, 0, *normalization_,
                          to);
      return;
    }
    cv::Mat pixels(size, CV_8UC(channels),
                   out.allocate<uint8_t>({size.height, size.width, channels}, in.name(index)));
    images::decode_crop(picture, how_, draws, pixels);
    if (draws.chance(options_.flip)) cv::flip(pixels, pixels, 1);
  }

  Places place_;
  Options options_;
  DecodeCrop how_;
  std::optional<Normalization> normalization_;
};

}  // namespace images
