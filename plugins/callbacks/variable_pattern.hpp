// variable_pattern.hpp: variables that are chosen by a regular expression for their whole names.
#pragma once
#include <broch/broch.hpp>
#include <regex>

namespace broch::callbacks {

// option: where the expression stands, such as "/assign". Throws Error if it is none.
inline std::regex variable_pattern(const std::string& option, const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw Error(BROCH_E_INVALID_ARGUMENT,
                option + ": found '" + text + "', expected a regular expression");
  }
}

// Calls found(variable, name, match) for each variable with all of flags (BROCH_VARIABLE_…) that
// the expression matches. kind: of these variables, for the message: "variable". Throws Error if
// there is none.
template <class Found>
void for_each_match(const Variables& variables, uint32_t flags, const std::string& kind,
                    const std::string& option, const std::string& text, Found&& found) {
  const std::regex pattern = variable_pattern(option, text);
  bool any = false;
  for (const broch_variable variable : variables.list(flags)) {
    const std::string name = variables.info(variable).name;
    std::smatch match;
    if (!std::regex_match(name, match, pattern)) continue;
    any = true;
    found(variable, name, match);
  }
  if (!any)
    throw Error(BROCH_E_NOT_FOUND, option + ": found no " + kind + " whose whole name matches '" +
                                       text + "', expected at least one");
}

}  // namespace broch::callbacks
