// name_filter.hpp: chooses variables by a regular expression over whole names.
#pragma once
#include <optional>
#include <regex>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "runtime/variables.hpp"

namespace broch::optimizer {

// Matches names without the replica they are of. Source: tensorpack, which puts ^ and $ around the
// expressions of its gradient processors.
class NameFilter {
 public:
  NameFilter() = default;  // takes all
  // place: for messages.
  NameFilter(const std::string& pattern, const std::string& place) {
    try {
      regex_.emplace(pattern);
    } catch (const std::regex_error&) {
      throw base::Error{base::Exit::training,
                        {place, base::quoted(pattern), "an ECMAScript regular expression", ""}};
    }
  }
  NameFilter(const std::optional<std::string>& pattern, const std::string& place)
      : NameFilter(pattern ? NameFilter(*pattern, place) : NameFilter()) {}

  bool takes(const runtime::Variable& variable) const {
    return !regex_ || std::regex_match(variable.bare(), *regex_);
  }

 private:
  std::optional<std::regex> regex_;
};

}  // namespace broch::optimizer
