// layer.hpp: what all layers are made of.
#pragma once
#include <string>
#include <utility>

#include "activations.hpp"
#include "layer_checks.hpp"
#include "names.hpp"

namespace broch {
inline namespace v0 {

// A copy of options with some members set, so that common options are written once:
//   const Conv2dOptions conv = with(Conv2dOptions(), &Conv2dOptions::activation, relu);
//   x = conv2d(t, "conv1", x, with(conv, &Conv2dOptions::channels, 32));
// tensorpack: `argscope`.
template <class Options>
Options with(Options options) {
  return options;
}
template <class Options, class Base, class Member, class Value, class... More>
Options with(Options options, Member Base::*member, Value&& value, More&&... more) {
  options.*member = std::forward<Value>(value);
  return with(std::move(options), std::forward<More>(more)...);
}

namespace glue {

inline Tensor activated(const Tensor& y, const Activation& activation) {
  return activation ? activation(y) : y;
}
// Publishes the result of a layer without variables.
inline Tensor output(Tower& t, const std::string& name, const Tensor& y) {
  return t.publish(t.scoped(name + "/output"), y);
}
// "W" and, with use_bias, "b".
struct WeightAndBias {
  Tensor weight, bias;
};
inline WeightAndBias weight_and_bias(const LayerScope& layer, const std::vector<int64_t>& shape,
                                     Init init, int64_t channels, bool use_bias,
                                     Init bias_init = Init::constant(0)) {
  const Tensor weight = layer.variable("W", "weight", shape, init).value;
  if (!use_bias) return {weight, {}};
  return {weight, layer.variable("b", "bias", {channels}, bias_init).value};
}

}  // namespace glue
}  // namespace v0
}  // namespace broch
