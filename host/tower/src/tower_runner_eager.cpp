// tower_runner_eager.cpp: computes a step by calling the tower function.
#include <malloc.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "handles.hpp"
#include "kernel_tape.hpp"
#include "recording.hpp"

namespace broch::tower {

void TowerRunner::compute(RunInputs& inputs, const std::vector<const GradientRequest*>& gradients) {
  release();
  KernelTape::begin_step();
  holds_graph_ = true;
  tower_.run(inputs, !gradients.empty(), result_.tower);
  result_.gradients.resize(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) differentiate(*gradients[i], result_.gradients[i]);
}

const StepResult& TowerRunner::settled(const Wanted& wanted, const KeepsUpdate& keeps) {
  TowerResult& tower = result_.tower;
  if (!tower.updates.empty()) {
    std::vector<Update> kept;  // a separate list, because `keeps` looks at all updates
    for (const Update& update : tower.updates)
      if (keeps(tower, update)) kept.push_back(update);
    std::swap(tower.updates, kept);
  }
  if (backend().is_null()) return result_;
  for (const uint32_t index : wanted.published) protect(tower.published.value(index));
  if (wanted.summaries)
    for (Summary& summary : tower.summaries) protect(summary.tensor);
  if (wanted.moving)
    for (Moving& moving : tower.moving) protect(moving.tensor);
  return result_;
}

const StepResult& TowerRunner::eager(StepRequest& request, const KeepsUpdate& keeps) {
  compute(request.inputs, request.gradients);
  return settled(request.wanted, keeps);
}

// Frees what nobody will read: a program that is compared with the step needs as much memory.
void TowerRunner::drop_unwanted(const Wanted& wanted) {
  TowerResult& tower = result_.tower;
  tower.cost = {};
  tower.collections.clear();
  for (size_t i = 0; i < tower.published.size(); ++i)
    if (!std::ranges::binary_search(wanted.published, i)) tower.published.value(i) = {};
  if (!wanted.summaries) tower.summaries.clear();
  if (!wanted.moving) tower.moving.clear();
  malloc_trim(0);
}

Tensor TowerRunner::cost_of(const GradientRequest& request) const {
  if (!request.cost) return result_.tower.cost;
  return result_.tower.published.find(*request.cost)->second;
}

void TowerRunner::differentiate(const GradientRequest& request, std::vector<Tensor>& gradients) {
  const Tensor cost = cost_of(request);
  const auto& leaves = result_.tower.leaves;
  wanted_leaves_.clear();
  for (size_t i = 0; i < request.variables.size(); ++i) {
    const Variable* variable = request.variables[i];
    const size_t hint = request.leaves[i];
    const auto found =
        hint < leaves.size() && leaves[hint].first == variable
            ? leaves.begin() + static_cast<ptrdiff_t>(hint)
            : std::ranges::find(leaves, variable, [](const auto& l) { return l.first; });
    if (found == leaves.end())
      throw base::Error(base::Exit::training,
                        {"variable '" + variable->name + "'", "not read by the tower in this step",
                         "the variables that it read when it was defined", ""});
    wanted_leaves_.push_back(found->second);
  }
  {
    const auto guard = backend().enter(true, nullptr);
    gradients = backend().grad({&cost, 1}, wanted_leaves_, {}, request.keep_graph, true);
  }
  wanted_leaves_.clear();
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Variable& variable = *request.variables[i];
    if (gradients[i]) {
      if (request.keep_graph) gradients[i] = backend().detach(gradients[i]);
      continue;
    }
    gradients[i] = backend().zeros(variable.dtype, variable.shape, variable.device);
    if (!std::exchange(request.warned, true))
      base::warning(request.name + ": in this step the cost does not depend on " + variable.name +
                    ", as it did when the tower was defined; its gradient is zero");
  }
}

// Whether a value lies in memory of a variable that this step may write.
bool TowerRunner::lies_in_variable(const Tensor& value, const std::vector<Update>& updates) const {
  if (!value || backend().is_null()) return false;
  const std::byte* const at = backend().first_byte(value);
  if (!at) return false;
  const auto holds = [&](const Variable* variable) {
    return memory_of(backend(), variable->value).holds(at);
  };
  return std::ranges::any_of(tower_.trainables(), holds) ||
         std::ranges::any_of(updates, holds, &Update::variable);
}

// Copies the value if a variable update would overwrite it.
void TowerRunner::protect(Tensor& value) const {
  if (lies_in_variable(value, result_.tower.updates))
    value = backend().copy(value, tower_.spec().device);
}

}  // namespace broch::tower
