// nonlinearities.hpp: layers that apply a function that is not linear.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct PreluOptions {
  bool by_channel = false;  // one slope for each channel
  double initial = 0.25;
  Names names = Names::tensorpack;
};

// x where x is positive, alpha * x elsewhere (He et al. 2015). x: floating-point (N, C, …). Returns
// the same shape. Variable alpha (1) or (C).
inline Tensor prelu(Tower& t, const std::string& name, const Tensor& x,
                    const PreluOptions& options = {}) {
  const glue::Checked checked(t, "prelu", name);
  const int64_t c = checked.ranks("x", x, 2, BROCH_RANK_MAX, "(N, C, ...)")[1];
  checked.float32("x", x);
  const glue::LayerScope layer(t, name, options.names);
  const Tensor alpha = layer
                           .variable("alpha", "weight", {options.by_channel ? c : 1},
                                     Init::constant(options.initial))
                           .value;
  return layer.finish(t.ops().prelu(x, alpha));
}

// The largest of each `units` neighboring channels (Goodfellow et al. 2013). x: (N, C, …), units
// divides C. Returns (N, C / units, …).
inline Tensor maxout(Tower& t, const std::string& name, const Tensor& x, int64_t units) {
  const glue::Checked checked(t, "maxout", name);
  std::vector<int64_t> shape = checked.ranks("x", x, 2, BROCH_RANK_MAX - 1, "(N, C, ...)");
  checked.at_least("units", units, 1);
  if (shape[1] % units)
    checked.refuse("units is " + std::to_string(units) + " and " + checked.is("x", x),
                   "units that divide " + std::to_string(shape[1]));
  shape[1] /= units;
  shape.insert(shape.begin() + 2, units);
  return glue::output(t, name, t.ops().amax(t.ops().reshape(x, shape), {2}));
}

}  // namespace v0
}  // namespace broch
