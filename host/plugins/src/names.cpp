// names.cpp: the rules for ids, roles, versions and extension names.
#include "names.hpp"

#include <algorithm>

#include "plugins/metadata.hpp"

namespace broch::plugins {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes the text up to the separator, and the separator, from rest. Returns that text.
std::string_view next_part(std::string_view& rest, char separator) {
  const size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

bool is_label(std::string_view label) {
  return !label.empty() && is_lower(label.front()) &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '_'; });
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool is_component_id(std::string_view text) {
  if (text.size() > 128 || text.empty() || text.back() == '.') return false;
  int labels = 0;
  for (; !text.empty(); ++labels)
    if (!is_label(next_part(text, '.'))) return false;
  return labels >= 2;
}

bool is_role(std::string_view text) {
  return text.size() <= 64 && is_label(text) && text.find('-') == std::string_view::npos;
}

bool is_version(std::string_view text) {
  const size_t end = std::min(text.find_first_of("-+"), text.size());
  std::string_view numbers = text.substr(0, end);
  if (numbers.ends_with('.')) return false;
  const std::string_view suffix = text.substr(end);
  for (int i = 0; i < 3; ++i)
    if (!is_number(next_part(numbers, '.'))) return false;
  return numbers.empty() && text.size() <= 64 && suffix.size() != 1 &&
         std::all_of(suffix.begin(), suffix.end(), [](char c) {
           return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
                  c == '+';
         });
}

bool is_extension_id(std::string_view text) {
  const std::string_view name = next_part(text, '/');
  return is_component_id(name) && is_number(text);
}

bool is_metric_pattern(std::string_view text) {
  if (text.empty() || text.size() > 256) return false;
  bool inside = false;
  size_t length = 0;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) return false;
    if (c == '{' && inside) return false;
    if (c == '}' && (!inside || length == 0)) return false;
    length = c == '{' ? 0 : length + 1;
    inside = c == '{' || (inside && c != '}');
  }
  return !inside;
}

const std::vector<std::string>& known_roles() {
  static const std::vector<std::string> roles = {
      "model",    "dataflow", "transform",  "sink",      "input_source",       "trainer",
      "callback", "monitor",  "inferencer", "optimizer", "gradient_processor", "session_init",
      "function"};
  return roles;
}

}  // namespace broch::plugins
