// step_outputs.hpp: the tensors of a step's result, numbered as the outputs of its program.
#pragma once
#include <string>
#include <vector>

#include "tower/names.hpp"
#include "tower/tower_runner.hpp"

namespace broch::tower {

// The place of each list: what is published comes first, then updates, summaries, moving summaries
// and gradients.
struct StepOutputs {
  size_t updates, summaries, moving, gradients;
  explicit StepOutputs(const StepResult& result);

  // Part of the forward step: read as it was before the update.
  bool is_activation(size_t number) const {
    return number < updates || (number >= summaries && number < gradients);
  }
};

std::vector<Tensor> outputs_of(const StepResult& result);
// The names and lists of a result, without its tensors.
StepResult shape_of(StepResult result);
// What the number-th output is, for messages.
std::string output_name(const StepResult& result, size_t number);
// Of all of them, gradients by variable.
std::vector<std::string> output_names(const StepResult& result,
                                      const std::vector<const GradientRequest*>& gradients);

}  // namespace broch::tower
