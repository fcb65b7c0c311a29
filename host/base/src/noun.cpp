// noun.cpp: articles and plurals.
#include "base/noun.hpp"

#include <string_view>

namespace broch::base {

std::string with_article(const std::string& noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + noun;
}

std::string counted(int64_t count, const std::string& noun, const std::string& plural) {
  if (count == 1) return "1 " + noun;
  return std::to_string(count) + " " + (plural.empty() ? noun + "s" : plural);
}

}  // namespace broch::base
