// regularizers.hpp: penalties on variables.
#pragma once
#include <functional>
#include <regex>

#include "layer.hpp"

namespace broch {
inline namespace v0 {

namespace glue {
inline std::regex compiled(const Checked& checked, const std::string& regex) {
  try {
    return std::regex(regex);
  } catch (const std::regex_error& error) {
    checked.refuse("regex '" + regex + "' (" + error.what() + ")", "an ECMAScript regex");
  }
}
}  // namespace glue

// The sum of loss(variable) over the trainable variables of this tower whose names contain a match
// of regex (std::regex_search). It is 0 in inference, and where no name matches; the host warns of
// the latter. Variables that are made afterwards do not count. loss must return a 0-dim tensor. In
// training the sum is added to the collection REGULARIZATION_LOSSES; adding it to the cost is up to
// the caller. tensorpack: `regularize_cost`.
inline Tensor regularize_cost(Tower& t, const std::string& regex,
                              const std::function<Tensor(const Tensor&)>& loss,
                              const std::string& name = "regularize_cost") {
  const glue::Checked checked(t, "regularize_cost", name);
  if (!loss) checked.refuse("no loss", "a function such as l2_regularizer(1e-4)");
  Tensor total;
  if (t.is_training()) {
    const std::regex pattern = glue::compiled(checked, regex);
    for (const Tower::Trainable& variable : t.trainables())
      if (std::regex_search(variable.name, pattern)) {
        const Tensor term = loss(t.read(variable.handle));
        checked.rank(("the loss of " + variable.name).c_str(), term, 0, "a 0-dim tensor");
        total = total ? total + term : term;
      }
  }
  if (!total) total = t.ops().zeros({}, BROCH_FLOAT32);
  total = t.publish(name, total);
  if (t.is_training()) t.collect(BROCH_REGULARIZATION_LOSSES, total);
  return total;
}
// scale * sum(x^2) / 2, which is scale * tf.nn.l2_loss(x).
inline std::function<Tensor(const Tensor&)> l2_regularizer(double scale) {
  return [scale](const Tensor& x) { return x.ops().sum(x.ops().square(x)) * Scalar(scale / 2); };
}
// scale * sum(|x|).
inline std::function<Tensor(const Tensor&)> l1_regularizer(double scale) {
  return [scale](const Tensor& x) { return x.ops().sum(x.ops().abs(x)) * Scalar(scale); };
}

}  // namespace v0
}  // namespace broch
