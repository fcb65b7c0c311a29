// comparison.hpp: compares what a program computed with what the eager step computed.
#pragma once
#include <string>
#include <vector>

#include "recorded_step.hpp"
#include "replay/names.hpp"
#include "step_outputs.hpp"

namespace broch::replay {

// How far a program of level fast may be from the eager step.
struct Tolerances {
  double value = 1e-3;  // of an element, relative to the largest
  // A root mean square that rounding alone can explain, in networks whose values are of order one.
  // The cost of a network that fits its data perfectly is a difference of such values.
  double rounding = 1e-6;
  // The distance between the gradients of both ways, relative to the norm of all gradients. A
  // program is near if it is below `near`, and wrong from `gradient` on. In between, rounding may
  // be the reason. That occurs at some data points only and varies in size, while a mistake shows
  // at all of them; so the program has to be near in one try.
  double near = 0.005, gradient = 0.05;
  double nudge = 0x1p-24;  // of variables: the relative error of one rounding
};
// bfloat16 has 8 bits: one rounding changes a number by up to 0.4 %.
constexpr Tolerances kMixedTolerances{
    .value = 0.03, .rounding = 1e-3, .near = 0.03, .gradient = 0.2, .nudge = 0x1p-9};

class Comparison {
 public:
  // expected: the eager step's values, by output of the program.
  Comparison(Backend& backend, const RecordedStep& recorded, const CompiledStep& compiled,
             std::vector<Tensor> expected, const Tolerances& tolerances);
  // The same program compared with other values.
  Comparison with(std::vector<Tensor> expected) const;

  // Whether these are the expected values, bit for bit; undefined ones are not compared.
  bool expects(const std::vector<Tensor>& values) const;
  // Returns "" or the first difference between the program and the expected values as text, or
  // else between the kernels that both have called.
  std::string difference(double tolerance) const;
  // The latter alone: no rounding explains it.
  static std::string kernel_difference();
  // The distance of all gradients together from the expected ones, relative to their norm; -1 if
  // anything else differs.
  double gradient_distance() const;
  // The same distance between these values of the outputs and the expected ones; what else differs
  // does not count.
  double gradient_distance_of(const std::vector<Tensor>& values) const;
  // Whether the gradients consist of rounding errors only, so that their distance means nothing.
  bool has_learnt() const;

 private:
  bool is_rounding_of(const Tensor& expected, const Tensor& found) const;
  bool is_near(const Tensor& expected, const Tensor& found) const;
  bool is_gradient(size_t place) const;
  const Tensor& found_at(size_t place) const { return compiled_->executable->output(place); }

  Backend* backend_;
  const RecordedStep* recorded_;
  const CompiledStep* compiled_;
  std::vector<Tensor> expected_;
  const Tolerances* tolerances_;
  size_t first_gradient_;  // its number
};

}  // namespace broch::replay
