// paths.cpp: makes relative paths absolute, and keeps the concealed form of secrets in them.
#include "value/paths.hpp"

#include <filesystem>

#include "value/concealed.hpp"

namespace broch::value {

Value absolute(const Value& path, const std::string& folder) {
  const std::string& text = path.string();
  if (text.empty()) return path;
  const std::filesystem::path whole = std::filesystem::path(folder) / text;
  Origin origin = path.origin();
  const bool is_relative = std::filesystem::path(text).is_relative();
  if (is_relative && origin.substitution && !origin.substitution->concealed.empty()) {
    Substitution inside = *origin.substitution;
    inside.concealed = as_literal(folder) + "/" + inside.concealed;
    origin.substitution = std::make_shared<const Substitution>(std::move(inside));
  }
  return Value(whole.lexically_normal().string(), std::move(origin));
}

}  // namespace broch::value
