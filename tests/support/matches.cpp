// matches.cpp: std::regex.
#include "matches.hpp"

#include <regex>

namespace support {

bool matches(const std::string& text, const std::string& expression) {
  return std::regex_search(text, std::regex(expression));
}

std::vector<std::string> first_match(const std::string& text, const std::string& expression) {
  std::smatch found;
  std::regex_search(text, found, std::regex(expression));
  return {found.begin(), found.end()};
}

}  // namespace support
