// variable_groups.hpp: settings of an update rule for some of the variables, which are chosen by
// name and number of dimensions.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "optimizer/entry.hpp"
#include "optimizer/name_filter.hpp"

namespace broch::optimizer {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

struct VariableGroup {
  Entry entry;  // as it was written; it says all of the following
  NameFilter variables;
  int64_t max_dims = 0;
  NamedNumbers factors;  // of numbers of the rule
  bool frozen = false;

  bool takes(const runtime::Variable& variable) const {
    return variable.shape.rank <= max_dims && variables.takes(variable);
  }
  bool operator==(const VariableGroup& other) const { return entry == other.entry; }
};

// All groups of a rule. Each group that takes a variable counts.
class VariableGroups {
 public:
  void add(VariableGroup group) { groups_.push_back(std::move(group)); }

  bool freeze(const runtime::Variable& variable) const;
  // One factor for each of the rule's numbers: the product of those of the groups.
  std::vector<double> factors_for(const runtime::Variable& variable,
                                  const NamedNumbers& numbers) const;
  // "learning_rate x 0.1", "frozen"; "" if the settings are those of the rule.
  std::string remark_on(const runtime::Variable& variable, const NamedNumbers& numbers) const;

  // Throw base::Error: for a factor of a number that the rule does not have …
  void check_factors(const NamedNumbers& numbers) const;
  // … and for a group that takes none of the variables.
  void check_variables(const std::vector<runtime::Variable*>& variables) const;

  bool operator==(const VariableGroups&) const = default;

 private:
  std::vector<VariableGroup> groups_;
};

}  // namespace broch::optimizer
