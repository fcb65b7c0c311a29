// normalize.hpp: (x - mean) / std for each channel, as float32.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct NormalizeOptions {
  JsonText components;
  std::vector<double> mean, std;
  int64_t dimension;

  static constexpr auto schema = broch::options(
      broch::option("components", &NormalizeOptions::components,
                    "The components to change: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_APART_SCHEMA)
          .by_default(nullptr),
      broch::option("mean", &NormalizeOptions::mean,
                    "One number per channel, or one for all, in the units of the component: from 0 "
                    "to 255 for a uint8 image.")
          .min_items(1),
      broch::option("std", &NormalizeOptions::std,
                    "The standard deviations, in the same units; as many numbers as mean.")
          .above(0)
          .min_items(1),
      broch::option("dimension", &NormalizeOptions::dimension,
                    "The dimension of the channels; negative numbers count from the last one.")
          .by_default(-1));
};

class Normalize final : public ComponentTransform {
 public:
  Normalize(const Host& host, const NormalizeOptions& options)
      : ComponentTransform(host, "/components"), dimension_(options.dimension) {
    if (options.mean.size() != options.std.size())
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/std: found " + std::to_string(options.std.size()) + " numbers, expected " +
                      std::to_string(options.mean.size()) + " as in mean");
    for (size_t i = 0; i < options.mean.size(); ++i) {
      scale_.push_back(float(1 / options.std[i]));
      offset_.push_back(float(-options.mean[i] / options.std[i]));
    }
  }

 private:
  // x * (1 / std) - mean / std, in float32.
  void change(const Component& component, PointWriter& out, Draws&) override {
    const std::vector<int64_t> shape = component.shape();
    auto* to = out.allocate<float>(shape, component.name);
    size_t inner = component.count(), channels = 1;  // elements behind a channel
    if (scale_.size() > 1) {
      const size_t d = dimension_of(dimension_, component, shape.size());
      channels = size_t(shape[d]);
      if (channels != scale_.size())
        component.refuse(std::to_string(scale_.size()) + " channels in dimension " +
                         std::to_string(dimension_) + ", as many as numbers in mean");
      inner = size_t(broch::element_count(shape.data() + d + 1, shape.size() - d - 1));
    }
    points::with_type(component.dtype(), component.what, [&](auto zero) {
      const auto* from = component.data<decltype(zero)>();
      const auto* const end = from + component.count();
      while (from != end)
        for (size_t c = 0; c < channels; ++c)
          for (size_t i = 0; i < inner; ++i) *to++ = float(*from++) * scale_[c] + offset_[c];
    });
  }

  std::vector<float> scale_, offset_;
  int64_t dimension_;
};

}  // namespace broch::transforms
