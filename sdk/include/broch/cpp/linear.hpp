// linear.hpp: linear maps.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct FullyConnectedOptions {
  int64_t units = 0;
  bool use_bias = true;
  Init weight = Init::he_normal(), bias = Init::constant(0);  // first values
  Activation activation = nullptr;
  Names names = Names::tensorpack;
};

namespace glue {
inline Tensor linear_map(Tower& t, const std::string& name, const Tensor& x,
                         const FullyConnectedOptions& options) {
  const LayerScope layer(t, name, options.names);
  const WeightAndBias w = weight_and_bias(layer, {options.units, t.size(x, -1)}, options.weight,
                                          options.units, options.use_bias, options.bias);
  return layer.finish(activated(t.ops().linear(x, w.weight, w.bias), options.activation));
}
}  // namespace glue

// A linear map. x: float32 (N, …), flattened to (N, D). Returns (N, units). Variables W (units, D),
// b (units).
inline Tensor fully_connected(Tower& t, const std::string& name, const Tensor& x,
                              const FullyConnectedOptions& options) {
  const glue::Checked checked(t, "fully_connected", name);
  const size_t rank = checked.ranks("x", x, 2, BROCH_RANK_MAX, "(N, D) or (N, ...)").size();
  checked.float32("x", x);
  checked.at_least("units", options.units, 1);
  return glue::linear_map(t, name, rank == 2 ? x : t.ops().flatten(x, 1), options);
}

// The same along the last dimension. x: float32 (…, D). Returns (…, units).
inline Tensor linear(Tower& t, const std::string& name, const Tensor& x,
                     const FullyConnectedOptions& options) {
  const glue::Checked checked(t, "linear", name);
  checked.ranks("x", x, 1, BROCH_RANK_MAX, "(..., D)");
  checked.float32("x", x);
  checked.at_least("units", options.units, 1);
  return glue::linear_map(t, name, x, options);
}

}  // namespace v0
}  // namespace broch
