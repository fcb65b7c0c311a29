// variable_pattern.cpp: the regular expression of a pattern.
#include "variable_pattern.hpp"

#include <regex>

namespace broch::callbacks {

struct VariablePattern::Expression {
  std::regex regex;
};

VariablePattern::VariablePattern(const std::string& option, const std::string& text) {
  try {
    expression_ = std::make_shared<Expression>(Expression{std::regex(text)});
  } catch (const std::regex_error&) {
    throw Error(BROCH_E_INVALID_ARGUMENT,
                option + ": found '" + text + "', expected a regular expression");
  }
}

bool VariablePattern::matches(const std::string& name) const {
  return std::regex_match(name, expression_->regex);
}

std::string VariablePattern::replaced(const std::string& name, const std::string& text) const {
  std::smatch match;
  std::regex_match(name, match, expression_->regex);
  return match.format(text);
}

}  // namespace broch::callbacks
