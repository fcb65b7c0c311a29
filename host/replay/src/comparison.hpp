// comparison.hpp: compares what a program computed with what the eager step computed.
#pragma once
#include <string>
#include <vector>

#include "recorded_step.hpp"
#include "replay/names.hpp"
#include "step_outputs.hpp"

namespace broch::replay {

constexpr double kFastTolerance = 1e-3;  // relative to the largest element

class Comparison {
 public:
  // expected: the eager step's values, by output of the program.
  Comparison(Backend& backend, const RecordedStep& recorded, const CompiledStep& compiled,
             std::vector<Tensor> expected);
  // The same program compared with other values.
  Comparison with(std::vector<Tensor> expected) const;

  // Whether these are the expected values, bit for bit; undefined ones are not compared.
  bool expects(const std::vector<Tensor>& values) const;
  // Returns "" or the first difference between the program and the expected values as text.
  std::string difference(double tolerance) const;
  // The distance of all gradients together from the expected ones, relative to their norm; -1 if
  // anything else differs.
  double gradient_distance() const;
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
  size_t first_gradient_;  // its number
};

}  // namespace broch::replay
