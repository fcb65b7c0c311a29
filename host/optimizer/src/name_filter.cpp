// name_filter.cpp: the regular expression of a filter.
#include "optimizer/name_filter.hpp"

#include <regex>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::optimizer {

struct NameFilter::Expression {
  std::regex regex;
};

NameFilter::NameFilter(const std::string& pattern, const std::string& where) {
  try {
    expression_ = std::make_shared<Expression>(Expression{std::regex(pattern)});
  } catch (const std::regex_error&) {
    throw base::Error{base::Exit::training,
                      {where, base::quoted(pattern), "an ECMAScript regular expression", ""}};
  }
}

bool NameFilter::takes(const runtime::Variable& variable) const {
  return !expression_ || std::regex_match(variable.bare(), expression_->regex);
}

}  // namespace broch::optimizer
