// planned.cpp: grids and random draws.
#include "planned.hpp"

#include "base/text.hpp"
#include "value/fault.hpp"

namespace broch::sweep {
namespace {

constexpr double kMostTrials = 10000;

Trial trial_with(const Spec& spec, int64_t number, const std::vector<Value>& values) {
  Trial trial;
  trial.number = number;
  for (size_t i = 0; i < values.size(); ++i)
    trial.parameters.set(spec.parameters[i].path, values[i]);
  return trial;
}

std::string pointer_of(const Parameter& parameter) {
  return value::child_pointer("/parameters", parameter.path);
}

void require_size(const Spec& spec) {
  double count = 1;
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.kind == Parameter::Kind::values)
      count *= double(parameter.values.size());
    else if (parameter.steps)
      count *= double(*parameter.steps);
    else if (parameter.kind == Parameter::Kind::integers)
      count *= parameter.high - parameter.low + 1;
    else
      throw value::fault_at(parameter.origin, pointer_of(parameter),
                            {"a range in a grid", "\"steps\": the number of values",
                             "add it, or choose {\"random\": {\"trials\": N}} as the method"});
    if (count > kMostTrials)
      throw value::fault_at(parameter.origin, pointer_of(parameter),
                            {"a grid of " + base::general(count, 6) + " trials so far",
                             "at most " + base::general(kMostTrials, 6),
                             "take fewer values, or choose random trials"});
  }
}

std::vector<Trial> grid(const Spec& spec) {
  require_size(spec);
  std::vector<std::vector<Value>> lists;
  for (const Parameter& parameter : spec.parameters) lists.push_back(*parameter.grid());
  std::vector<Trial> trials;
  std::vector<size_t> at(lists.size(), 0);
  for (;;) {
    std::vector<Value> values;
    for (size_t i = 0; i < lists.size(); ++i) values.push_back(lists[i][at[i]]);
    trials.push_back(trial_with(spec, int64_t(trials.size()) + 1, values));
    size_t i = lists.size();
    while (i > 0 && ++at[i - 1] == lists[i - 1].size()) at[--i] = 0;
    if (i == 0) return trials;
  }
}

std::vector<Trial> random(const Spec& spec) {
  std::vector<Trial> trials;
  for (int64_t number = 1; number <= *spec.method.trials; ++number) {
    std::vector<Value> values;
    for (const Parameter& parameter : spec.parameters)
      values.push_back(parameter.draw(spec.method.seed, uint64_t(number)));
    trials.push_back(trial_with(spec, number, values));
  }
  return trials;
}

}  // namespace

std::vector<Trial> planned_trials(const Spec& spec) {
  if (spec.method.kind == Method::Kind::grid) return grid(spec);
  return spec.method.kind == Method::Kind::random ? random(spec) : std::vector<Trial>();
}

}  // namespace broch::sweep
