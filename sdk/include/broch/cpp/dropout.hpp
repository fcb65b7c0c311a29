// dropout.hpp: dropout.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

// In training, sets each element to zero with probability rate, 0 <= rate < 1, and multiplies the
// others by 1 / (1 - rate). x: floating-point. Returns the same shape. As for all random operators,
// what is drawn depends on the tower, the place of the call in the tower function, and the run.
inline Tensor dropout(Tower& t, const std::string& name, const Tensor& x, double rate) {
  const glue::Checked checked(t, "dropout", name);
  checked.given("x", x, "a tensor");
  checked.floating("x", x);
  checked.rate("rate", rate);
  if (!t.is_training() || rate == 0) return glue::output(t, name, x);
  const auto scope = t.scope(name);
  const Tensor keep = t.ops().bernoulli(t.ops().detach(x), 1 - rate);
  return t.publish(t.scoped("output"), x * keep * Scalar(1 / (1 - rate)));
}
// The same with a rate that changes during training: a 0-dim tensor, for example from
// Tower::hyper_param.
inline Tensor dropout(Tower& t, const std::string& name, const Tensor& x, const Tensor& rate) {
  const glue::Checked checked(t, "dropout", name);
  checked.given("x", x, "a tensor");
  checked.floating("x", x);
  checked.rank("rate", rate, 0, "a 0-dim tensor");
  if (!t.is_training()) return glue::output(t, name, x);
  const auto scope = t.scope(name);
  Ops& ops = t.ops();
  const Tensor keep_probability = ops.to_dtype(Scalar(1) - rate, t.dtype(x));
  const Tensor keep = ops.to_dtype(ops.lt(ops.rand_like(x), keep_probability), t.dtype(x));
  return t.publish(t.scoped("output"), x * keep / keep_probability);
}

}  // namespace v0
}  // namespace broch
