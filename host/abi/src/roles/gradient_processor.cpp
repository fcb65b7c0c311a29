// gradient_processor.cpp: the role gradient_processor.
#include "abi/roles/gradient_processor.hpp"

#include <algorithm>

namespace broch::abi {

GradientProcessor::GradientProcessor(Instance& instance)
    : RoleOf(instance, BROCH_ROLE_GRADIENT_PROCESSOR) {
  require_entry(instance, BROCH_ROLE_GRADIENT_PROCESSOR, "keep or process",
                table_.keep || table_.process);
}

std::vector<bool> GradientProcessor::keep(std::span<const broch_variable> variables) {
  std::vector<int32_t> keep(variables.size(), 1);
  const auto n = static_cast<uint32_t>(variables.size());
  call("keep", Role::main, kOnlyOk, BROCH_OK, table_.keep, variables.data(), n, keep.data());
  return {keep.begin(), keep.end()};
}

void GradientProcessor::process(
    broch_tower scope, std::span<const broch_variable> variables,
    std::span<const broch_tensor> gradients,
    const std::function<void(std::span<const broch_tensor> results)>& take) const {
  if (!table_.process) return;
  invoke(*instance_, "process", Role::step, kOnlyOk, [&]() -> broch_status {
    std::vector<broch_tensor> results(gradients.size());
    const broch_status status =
        table_.process(self_, scope, variables.data(), gradients.data(),
                       static_cast<uint32_t>(gradients.size()), results.data());
    if (says_unimplemented(status)) return BROCH_OK;
    if (status != BROCH_OK) return status;
    if (std::ranges::count(results, broch_tensor{0}) > 0 && thread_state().told_in_call())
      return failure_of_this_call();
    take(results);
    return status;
  });
}

}  // namespace broch::abi
