// variable_groups.cpp: which groups take a variable, and what they say about it.
#include "optimizer/variable_groups.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "value/concealed.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::optimizer {

namespace {

constexpr size_t kMostShown = 20;

std::string names_of(const std::vector<runtime::Variable*>& variables) {
  std::vector<std::string> names;
  for (const runtime::Variable* variable : variables)
    if (variable->replica.empty())
      names.push_back(base::quoted(variable->name) + " " + to_string(variable->shape));
  if (names.size() <= kMostShown) return base::join(names, ", ");
  const size_t more = names.size() - kMostShown;
  names.resize(kMostShown);
  return base::join(names, ", ") + " and " + std::to_string(more) + " more";
}

}  // namespace

bool VariableGroups::freeze(const runtime::Variable& variable) const {
  return std::ranges::any_of(
      groups_, [&](const VariableGroup& group) { return group.frozen && group.takes(variable); });
}

std::vector<double> VariableGroups::factors_for(const runtime::Variable& variable,
                                                const NamedNumbers& numbers) const {
  std::vector<double> factors(numbers.size(), 1.0);
  for (const VariableGroup& group : groups_) {
    if (!group.takes(variable)) continue;
    for (size_t i = 0; i < numbers.size(); ++i)
      for (const auto& [name, factor] : group.factors)
        if (name == numbers[i].first) factors[i] *= factor;
  }
  return factors;
}

std::string VariableGroups::remark_on(const runtime::Variable& variable,
                                      const NamedNumbers& numbers) const {
  if (freeze(variable)) return "frozen";
  const std::vector<double> factors = factors_for(variable, numbers);
  std::vector<std::string> words;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (factors[i] != 1) words.push_back(numbers[i].first + " x " + base::shortest(factors[i]));
  return base::join(words, ", ");
}

void VariableGroups::check_factors(const NamedNumbers& numbers) const {
  std::vector<std::string> names;
  for (const auto& [name, initial] : numbers) names.push_back(name);
  for (const VariableGroup& group : groups_)
    for (const auto& [name, factor] : group.factors) {
      if (std::ranges::find(names, name) != names.end()) continue;
      throw value::fault_at(group.entry.value.find("factors")->find(name)->origin(),
                            group.entry.pointer + "/factors",
                            {"a factor for " + base::quoted(name),
                             "factors for numbers of the rule: " + base::join(names, ", "),
                             value::nearest_hint(name, names, "name another number")},
                            base::Exit::training);
    }
}

void VariableGroups::check_variables(const std::vector<runtime::Variable*>& variables) const {
  for (const VariableGroup& group : groups_) {
    const auto takes = [&](const runtime::Variable* variable) { return group.takes(*variable); };
    if (std::ranges::any_of(variables, takes)) continue;
    throw value::fault_at(
        group.entry.value.origin(), group.entry.pointer,
        {value::to_text(value::as_manifest(group.entry.value)) + ", which takes no variable",
         "a group that takes some of " + names_of(variables),
         "correct it; the expression has to match whole names"},
        base::Exit::training);
  }
}

}  // namespace broch::optimizer
