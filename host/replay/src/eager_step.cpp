// eager_step.cpp: calls the tower function, differentiates, and keeps what is wanted.
#include "eager_step.hpp"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "step_outputs.hpp"
#include "tower/kernel_tape.hpp"
#include "tower/variable_memory.hpp"

namespace broch::replay {

const StepResult& EagerStep::run(StepRequest& request, const KeepsUpdate& keeps) {
  compute(request.inputs, request.gradients);
  return settle(request.wanted, keeps);
}

void EagerStep::compute(RunInputs& inputs, const std::vector<const GradientRequest*>& gradients) {
  release();
  KernelTape::begin_step();
  holds_graph_ = true;
  tower_.run(inputs, !gradients.empty(), result_.tower);
  result_.gradients.resize(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) differentiate(*gradients[i], result_.gradients[i]);
}

EagerStep::Recorded EagerStep::record(const StepRequest& request) {
  const std::unique_ptr<Recorder> recorder = backend().record();
  const Recording here(*recorder);
  for (const auto& variable : tower_.context().variables->all())
    recorder->variable(variable->name, variable->value);
  RunInputs inputs = request.inputs;
  compute(inputs, request.gradients);
  auto program = recorder->finish(outputs_of(result_), output_names(result_, request.gradients));
  return {std::move(program), recorder->refusal()};
}

void EagerStep::drop_unwanted(const Wanted& wanted) {
  TowerResult& tower = result_.tower;
  tower.cost = {};
  tower.collections.clear();
  for (size_t i = 0; i < tower.published.size(); ++i)
    if (!std::ranges::binary_search(wanted.published, i)) tower.published.value(i) = {};
  if (!wanted.summaries) tower.summaries.clear();
  if (!wanted.moving) tower.moving.clear();
  malloc_trim(0);
}

const StepResult& EagerStep::settle(const Wanted& wanted, const KeepsUpdate& keeps) {
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

void EagerStep::release() {
  if (!std::exchange(holds_graph_, false)) return;
  result_.tower.clear();
  for (auto& list : result_.gradients) list.clear();
}

void EagerStep::differentiate(const GradientRequest& request, std::vector<Tensor>& gradients) {
  const Tensor cost = cost_of(request);
  leaves_.clear();
  for (size_t i = 0; i < request.variables.size(); ++i) leaves_.push_back(leaf_of(request, i));
  {
    const auto guard = backend().enter(/*gradients=*/true, nullptr);
    gradients = backend().grad({&cost, 1}, leaves_, {}, /*create_graph=*/request.keep_graph,
                               /*allow_unused=*/true);
  }
  leaves_.clear();
  complete(request, gradients);
}

Tensor EagerStep::cost_of(const GradientRequest& request) const {
  if (!request.cost) return result_.tower.cost;
  return result_.tower.published.find(*request.cost)->second;
}

const Tensor& EagerStep::leaf_of(const GradientRequest& request, size_t variable) const {
  const auto& leaves = result_.tower.leaves;
  const Variable* const wanted = request.variables[variable];
  const size_t hint = request.leaves[variable];
  if (hint < leaves.size() && leaves[hint].first == wanted) return leaves[hint].second;
  const auto found = std::ranges::find(leaves, wanted, [](const auto& leaf) { return leaf.first; });
  if (found == leaves.end())
    throw base::Error(base::Exit::training,
                      {"variable '" + wanted->name + "'", "not read by the tower in this step",
                       "the variables that it read when it was defined", ""});
  return found->second;
}

// Undefined gradients become zeros, and none keeps the graph.
void EagerStep::complete(const GradientRequest& request, std::vector<Tensor>& gradients) const {
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

// Copies the value if a variable update would overwrite it.
void EagerStep::protect(Tensor& value) const {
  if (lies_in_variable(tower_, result_.tower.updates, value))
    value = backend().copy(value, tower_.spec().device);
}

}  // namespace broch::replay
