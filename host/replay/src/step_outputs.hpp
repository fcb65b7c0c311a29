// step_outputs.hpp: numbers the tensors of a step's result as the outputs of its program.
#pragma once
#include <string>
#include <vector>

#include "replay/names.hpp"
#include "replay/step.hpp"

namespace broch::replay {

// Where each list begins. Published tensors come first, then updates, summaries, moving summaries
// and gradients.
struct StepOutputs {
  size_t updates, summaries, moving, gradients;
  explicit StepOutputs(const StepResult& result);

  // Whether it belongs to the forward pass, so that it has the values from before the update.
  bool is_activation(size_t number) const {
    return number < updates || (number >= summaries && number < gradients);
  }
};

std::vector<Tensor> outputs_of(const StepResult& result);
// The names and lists of a result without its tensors.
StepResult shape_of(StepResult result);
// A name for the output with this number, for messages.
std::string output_name(const StepResult& result, size_t number);
// The names of all outputs; gradients are named after their variables.
std::vector<std::string> output_names(const StepResult& result,
                                      const std::vector<const GradientRequest*>& gradients);

}  // namespace broch::replay
