// filter.hpp: keeps or drops points by one number: a component that is one, or the size of a
// dimension. tensorpack: a function of `MapData` that returns None.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct FilterOptions {
  JsonText component;
  std::optional<int64_t> dimension;
  std::optional<std::vector<double>> in;
  std::optional<double> minimum, maximum;
  bool keep;

  static constexpr auto schema = broch::options(
      broch::option("component", &FilterOptions::component,
                    "The component: its name or index (from 0).")
          .schema(BROCH_COMPONENT_APART_SCHEMA),
      broch::option(
          "dimension", &FilterOptions::dimension,
          "null: the number is the component itself, which must have one element; otherwise it is "
          "the size of the component along this dimension (-1: the last one)."),
      broch::option("in", &FilterOptions::in,
                    "The condition: the number is one of these; null: any number."),
      broch::option("minimum", &FilterOptions::minimum,
                    "The number must be at least this; null: no limit."),
      broch::option("maximum", &FilterOptions::maximum,
                    "The number must be at most this; null: no limit."),
      broch::option("keep", &FilterOptions::keep,
                    "true: points that meet the condition are kept; false: they are dropped.")
          .by_default(true));
};

class Filter final : public ManyTransform {
 public:
  Filter(const Host& host, const FilterOptions& options)
      : component_(Config(host), "/component"), options_(options) {
    if (!options.in && !options.minimum && !options.maximum)
      throw Error(BROCH_E_INVALID_ARGUMENT, "found no condition, expected in, minimum or maximum");
  }

  void apply(PointReader& in, PointWriter& out, Draws) override {
    if (meets(number(in)) != options_.keep) return;
    for (uint32_t i = 0, n = in.size(); i < n; ++i) in.move(i, out);
    out.emit();
  }

 private:
  double number(const PointReader& in) const {
    const uint32_t index = component_.in(in);
    const Component component{in.view(index), nullptr, "component " + component_.text()};
    if (!options_.dimension) return points::only_number(component.view, component.what);
    const size_t d = dimension_of(*options_.dimension, component, component.rank());
    return double(component.view.shape[d]);
  }
  bool meets(double number) const {
    if (options_.in &&
        std::find(options_.in->begin(), options_.in->end(), number) == options_.in->end())
      return false;
    return (!options_.minimum || number >= *options_.minimum) &&
           (!options_.maximum || number <= *options_.maximum);
  }

  points::ComponentName component_;
  FilterOptions options_;
};

}  // namespace broch::transforms
