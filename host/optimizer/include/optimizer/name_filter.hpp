// name_filter.hpp: selects variables by a regular expression that must match the whole name.
#pragma once
#include <optional>
#include <regex>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "runtime/variables.hpp"

namespace broch::optimizer {

// Matches names without their replica. Source: tensorpack, which puts ^ and $ around the
// expressions of its gradient processors.
class NameFilter {
 public:
  NameFilter() = default;  // takes all variables
  // where: for messages.
  NameFilter(const std::string& pattern, const std::string& where) {
    try {
      regex_.emplace(pattern);
    } catch (const std::regex_error&) {
      throw base::Error{base::Exit::training,
                        {where, base::quoted(pattern), "an ECMAScript regular expression", ""}};
    }
  }
  NameFilter(const std::optional<std::string>& pattern, const std::string& where)
      : NameFilter(pattern ? NameFilter(*pattern, where) : NameFilter()) {}

  bool takes(const runtime::Variable& variable) const {
    return !regex_ || std::regex_match(variable.bare(), *regex_);
  }

 private:
  std::optional<std::regex> regex_;
};

}  // namespace broch::optimizer
