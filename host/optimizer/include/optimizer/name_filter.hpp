// name_filter.hpp: selects variables by a regular expression that must match the whole name.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "runtime/variables.hpp"

namespace broch::optimizer {

// Matches names without their replica. Source: tensorpack, which puts ^ and $ around the
// expressions of its gradient processors.
class NameFilter {
 public:
  NameFilter() = default;  // takes all variables
  // where: for messages.
  NameFilter(const std::string& pattern, const std::string& where);
  NameFilter(const std::optional<std::string>& pattern, const std::string& where)
      : NameFilter(pattern ? NameFilter(*pattern, where) : NameFilter()) {}

  bool takes(const runtime::Variable& variable) const;

 private:
  struct Expression;                              // <regex> takes long to compile
  std::shared_ptr<const Expression> expression_;  // null: takes all variables
};

}  // namespace broch::optimizer
