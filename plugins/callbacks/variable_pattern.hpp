// variable_pattern.hpp: variables that are chosen by a regular expression for their whole names.
#pragma once
#include <broch/broch.hpp>
#include <memory>

namespace broch::callbacks {

class VariablePattern {
 public:
  // option: where the expression stands, such as "/assign/0/variables". Throws Error if it is none.
  VariablePattern(const std::string& option, const std::string& text);

  bool matches(const std::string& name) const;  // as a whole
  // The text for a name that matches, with what its groups matched in place of $1, $2 …
  std::string replaced(const std::string& name, const std::string& text) const;

 private:
  struct Expression;  // <regex> takes long to compile
  std::shared_ptr<const Expression> expression_;
};

// "tower1/" of tower1/conv/W, a variable of a replica; "" of others, in whose names there is no
// "tower".
inline std::string replica_of(const std::string& name) {
  return name.compare(0, 5, "tower") == 0 ? name.substr(0, name.find('/') + 1) : "";
}

// Calls found(variable, name, pattern) for each variable with all of flags (BROCH_VARIABLE_…) that
// the expression matches and that is of no replica. kind: of these variables, for the message:
// "variable". Throws Error if there is none.
template <class Found>
void for_each_match(const Variables& variables, uint32_t flags, const std::string& kind,
                    const std::string& option, const std::string& text, Found&& found) {
  const VariablePattern pattern(option, text);
  bool any = false, any_of_replica = false;
  for (const broch_variable variable : variables.list(flags)) {
    const std::string name = variables.info(variable).name;
    if (!pattern.matches(name)) continue;
    if (!replica_of(name).empty()) {
      any_of_replica = true;
      continue;
    }
    any = true;
    found(variable, name, pattern);
  }
  if (!any)
    throw Error(BROCH_E_NOT_FOUND,
                option + ": found no " + kind + " whose whole name matches '" + text +
                    "', expected at least one" +
                    (any_of_replica ? " of the first tower: leave out the name of the tower" : ""));
}

}  // namespace broch::callbacks
