// with.hpp: an augmentor with options, and the options that several have.
#pragma once
#include "images/components/augmentor.hpp"

namespace images {

template <class Options>
class With : public Augmentor {
 public:
  With(const broch::Host& host, const Options& options) : Augmentor(host), options_(options) {}

 protected:
  // Changes values: change(from, to), where to has the same size and type.
  template <class Change>
  static void change(Sample& sample, const Change& change) {
    cv::Mat to = sample.make();
    change(sample.image(), to);
    sample.set(to);
  }

  Options options_;
};

// The words of Interpolation and of Border.
template <class Options>
constexpr auto interp_option(Interpolation Options::*field, const char* standard = "linear") {
  return broch::option("interp", field, "The interpolation of pixels.")
      .one_of("nearest", "linear", "cubic", "area", "lanczos4")
      .by_default(standard);
}
template <class Options>
constexpr auto border_option(Border Options::*field) {
  return broch::option("border", field, "The pixels beyond the edge of the image.")
      .one_of("constant", "replicate", "reflect", "reflect_101", "wrap")
      .by_default("replicate");
}
template <class Options>
constexpr auto border_value_option(double Options::*field) {
  return broch::option("border_value", field, "The value beyond the edge, if border is constant.")
      .by_default(0);
}
template <class Options>
constexpr auto clip_option(bool Options::*field) {
  return broch::option("clip", field,
                       "Whether to clip float32 results to the range 0 to 255; uint8 results are "
                       "always clipped.")
      .by_default(true);
}
template <class Options>
constexpr auto rgb_option(bool Options::*field) {
  return broch::option("rgb", field,
                       "true: the channels are red, green, blue; false: blue, green, red.")
      .by_default(true);
}
template <class Options>
constexpr auto probability_option(const char* name, double Options::*field, const char* description,
                                  double standard) {
  return broch::option(name, field, description).minimum(0).maximum(1).by_default(standard);
}
template <class Options>
constexpr auto shape_option(const char* name, std::array<int, 2> Options::*field,
                            const char* description) {
  return broch::option(name, field, description).minimum(1).maximum(32767);
}

// Between the two ends of a range.
template <class Number>
double draw_from(const std::array<Number, 2>& range, broch::Draws& draws) {
  return draws.between(double(range[0]), double(range[1]));
}

}  // namespace images
