// concealed.cpp: hides secrets and escapes ${.
#include "value/concealed.hpp"

namespace broch::value {

const std::string& concealed(const Value& value) {
  static const std::string kNothing;
  const auto& substitution = value.origin().substitution;
  return substitution ? substitution->concealed : kNothing;
}

std::string as_literal(std::string_view text) {
  std::string literal;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${")) literal += '$';
    literal += text[i];
  }
  return literal;
}

Value as_manifest(const Value& value) {
  const std::string& hidden = concealed(value);
  if (!hidden.empty()) return Value(hidden, value.origin());
  Value result = value;
  if (value.is(Value::Kind::string)) result = Value(as_literal(value.string()), value.origin());
  if (value.is(Value::Kind::array)) {
    for (Value& item : result.array()) item = as_manifest(item);
  }
  if (value.is(Value::Kind::object)) {
    for (Member& member : result.object()) member.value = as_manifest(member.value);
  }
  return result;
}

}  // namespace broch::value
