// step_outputs.cpp: the order in which a step's results are numbered.
#include "step_outputs.hpp"

#include "base/text.hpp"

namespace broch::replay {

StepOutputs::StepOutputs(const StepResult& result)
    : updates(result.tower.published.size()),
      summaries(updates + result.tower.updates.size()),
      moving(summaries + result.tower.summaries.size()),
      gradients(moving + result.tower.moving.size()) {}

std::vector<Tensor> outputs_of(const StepResult& result) {
  std::vector<Tensor> outputs;
  for (const Published::Entry& entry : result.tower.published) outputs.push_back(entry.second);
  for (const Update& update : result.tower.updates) outputs.push_back(update.value);
  for (const Summary& summary : result.tower.summaries) outputs.push_back(summary.tensor);
  for (const Moving& moving : result.tower.moving) outputs.push_back(moving.tensor);
  for (const auto& list : result.gradients) outputs.insert(outputs.end(), list.begin(), list.end());
  return outputs;
}

StepResult shape_of(StepResult result) {
  result.tower.cost = {};
  result.tower.collections.clear();
  result.tower.leaves.clear();
  for (size_t i = 0; i < result.tower.published.size(); ++i) result.tower.published.value(i) = {};
  for (Update& update : result.tower.updates) update.value = {};
  for (Summary& summary : result.tower.summaries) summary.tensor = {};
  for (Moving& moving : result.tower.moving) moving.tensor = {};
  for (auto& list : result.gradients)
    for (Tensor& gradient : list) gradient = {};
  return result;
}

std::string output_name(const StepResult& result, size_t number) {
  const StepOutputs layout(result);
  const TowerResult& tower = result.tower;
  if (number < layout.updates) return base::quoted((tower.published.begin() + number)->first);
  if (number < layout.summaries)
    return "the update of variable " +
           base::quoted(tower.updates[number - layout.updates].variable->name);
  if (number < layout.moving)
    return "summary " + base::quoted(tower.summaries[number - layout.summaries].name);
  if (number < layout.gradients)
    return "moving summary " + base::quoted(tower.moving[number - layout.moving].name);
  return "gradient " + std::to_string(number - layout.gradients);
}

std::vector<std::string> output_names(const StepResult& result,
                                      const std::vector<const GradientRequest*>& gradients) {
  std::vector<std::string> names;
  for (size_t i = 0; i < StepOutputs(result).gradients; ++i)
    names.push_back(output_name(result, i));
  for (const GradientRequest* const request : gradients)
    for (const Variable* const variable : request->variables)
      names.push_back("gradient of " + base::quoted(variable->name));
  return names;
}

}  // namespace broch::replay
