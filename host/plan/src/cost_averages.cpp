// cost_averages.cpp: averages by name, saved and restored.
#include "plan/cost_averages.hpp"

#include <algorithm>
#include <cmath>

namespace broch::plan {

size_t CostAverages::add(std::string_view name) {
  const auto found = std::ranges::find(averages_, name, &Average::name);
  const auto index = static_cast<size_t>(found - averages_.begin());
  if (found == averages_.end()) averages_.push_back({std::string(name), {}});
  return index;
}

std::vector<std::pair<std::string, double>> CostAverages::values() const {
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [name, state] : averages_)
    if (state.runs > 0)
      values.emplace_back(name,
                          state.biased / (1 - std::pow(kDecay, static_cast<double>(state.runs))));
  return values;
}

std::map<std::string, CostAverages::State> CostAverages::states() const {
  std::map<std::string, State> states;
  for (const auto& [name, state] : averages_) states[name] = state;
  return states;
}

void CostAverages::restore(const std::map<std::string, State>& states) {
  for (Average& average : averages_)
    if (const auto found = states.find(average.name); found != states.end())
      average.state = found->second;
}

}  // namespace broch::plan
