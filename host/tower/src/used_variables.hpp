// used_variables.hpp: the variables that a tower call has read or written, with their current
// values.
#pragma once
#include <algorithm>
#include <vector>

#include "runtime/variables.hpp"
#include "tower/names.hpp"
#include "valued.hpp"

namespace broch::tower {

class UsedVariables {
 public:
  // Starts a call. variables: number of variables in the store.
  void begin(size_t variables) { place_of_.assign(variables, 0); }
  void clear() { uses_.clear(); }

  // nullptr: it was neither read nor written.
  const Valued* find(const Variable& variable) const {
    const uint32_t place = variable.id < place_of_.size() ? place_of_[variable.id] : 0;
    return place ? &uses_[place - 1].value : nullptr;
  }
  // Sets the value of the variable from here on.
  const Valued& set(Variable& variable, Valued value) {
    if (variable.id >= place_of_.size()) place_of_.resize(variable.id + 1, 0);
    uint32_t& place = place_of_[variable.id];
    if (place) return uses_[place - 1].value = std::move(value);
    uses_.push_back({&variable, std::move(value)});
    place = static_cast<uint32_t>(uses_.size());
    return uses_.back().value;
  }
  // The used variables that have all of these flags, in order of creation.
  std::vector<Variable*> with(uint32_t flags) const {
    std::vector<Variable*> variables;
    for (const Use& use : uses_)
      if ((use.variable->flags & flags) == flags) variables.push_back(use.variable);
    std::ranges::sort(variables, {}, &Variable::id);
    return variables;
  }

 private:
  struct Use {
    Variable* variable;
    Valued value;
  };
  std::vector<Use> uses_;
  std::vector<uint32_t> place_of_;  // by variable id: index in uses_ plus 1; 0: not used
};

}  // namespace broch::tower
