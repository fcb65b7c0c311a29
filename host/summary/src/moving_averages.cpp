// moving_averages.cpp: the arithmetic of moving averages, in double precision.
#include "summary/moving_averages.hpp"

#include <cmath>

namespace broch::summary {

MovingAverages::Average* MovingAverages::find(std::string_view name) {
  for (Average& average : averages_)
    if (average.name == name) return &average;
  return nullptr;
}

void MovingAverages::declare(runtime::VariableStore& store,
                             const std::vector<tower::Moving>& moving, const std::string& made_by) {
  for (const tower::Moving& one : moving) {
    if (find(one.name)) continue;
    const std::string scope = "EMA/" + std::string(one.name);
    averages_.push_back({std::string(one.name),
                         std::string(one.collection),
                         one.decay,
                         false,
                         {store, scope + "/biased", BROCH_VARIABLE_LOCAL, made_by},
                         {store, scope + "/step", BROCH_VARIABLE_LOCAL, made_by}});
  }
  note_runs();
}

void MovingAverages::run(const std::string& collection) {
  run_.insert(collection);
  note_runs();
}

void MovingAverages::note_runs() {
  for (Average& average : averages_) {
    average.runs = run_.contains(average.collection);
    any_runs_ |= average.runs;
  }
}

void MovingAverages::update(runtime::Backend& backend, const tower::Moving& moving) {
  Average* average = find(moving.name);
  if (!average || !average->runs) return;
  const double biased = average->biased.get();
  average->biased.set(biased + (1 - average->decay) * (backend.item(moving.tensor) - biased));
  average->step.set(average->step.get() + 1);
}

std::vector<std::pair<std::string, double>> MovingAverages::values() const {
  std::vector<std::pair<std::string, double>> values;
  for (const Average& average : averages_) {
    const int64_t step = average.step.get();
    if (step == 0) continue;
    const double correction = 1 - std::pow(average.decay, static_cast<double>(step));
    values.emplace_back(average.name, average.biased.get() / correction);
  }
  return values;
}

std::vector<std::string> MovingAverages::names() const {
  std::vector<std::string> names;
  for (const Average& average : averages_) names.push_back(average.name);
  return names;
}

}  // namespace broch::summary
