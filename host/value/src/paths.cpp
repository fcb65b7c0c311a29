// paths.cpp: makes relative paths absolute, and keeps the concealed form of secrets in them.
#include "value/paths.hpp"

#include <cstdlib>
#include <filesystem>

#include "value/concealed.hpp"

namespace broch::value {
namespace {

bool is_concealed(const Origin& origin) {
  return origin.substitution && !origin.substitution->concealed.empty();
}

// A shell replaces "~" at the beginning of a word only, so not in log_dir=~/runs. nullptr: the text
// does not begin with it, or there is no home directory.
const char* home_of(const std::string& text) {
  return text == "~" || text.starts_with("~/") ? std::getenv("HOME") : nullptr;
}

}  // namespace

Value absolute(const Value& path, const std::string& folder) {
  const std::string& text = path.string();
  if (text.empty()) return path;
  Origin origin = path.origin();
  if (const char* home = is_concealed(origin) ? nullptr : home_of(text))
    return Value(std::filesystem::path(home + text.substr(1)).lexically_normal().string(),
                 std::move(origin));
  const std::filesystem::path whole = std::filesystem::path(folder) / text;
  if (std::filesystem::path(text).is_relative() && is_concealed(origin)) {
    Substitution inside = *origin.substitution;
    inside.concealed = as_literal(folder) + "/" + inside.concealed;
    origin.substitution = std::make_shared<const Substitution>(std::move(inside));
  }
  return Value(whole.lexically_normal().string(), std::move(origin));
}

}  // namespace broch::value
