// schema.cpp: takes the text of a schema apart.
#include "models/exported/schema.hpp"

#include <broch/cpp/error.hpp>
#include <cstdlib>

#include "../../options/trimmed.hpp"

namespace exported {
namespace {

using broch::trimmed;

// The parts between the commas that are outside of brackets and quotes.
std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> list;
  std::string part;
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      list.emplace_back(trimmed(part));
      part.clear();
      continue;
    }
    part += c;
  }
  if (!trimmed(part).empty()) list.emplace_back(trimmed(part));
  return list;
}

// "Tensor(a!)", "SymInt[2]?", "Tensor?[]"
SchemaType type_of(const std::string& text) {
  SchemaType type;
  size_t at = text.find_first_of("(?[");
  if (at == std::string::npos) at = text.size();
  type.name = text.substr(0, at);
  if (type.name == "SymInt") type.name = "int";
  while (at < text.size()) {
    if (text[at] == '(') {
      const size_t end = text.find(')', at);
      const std::string alias = text.substr(at + 1, end - at - 1);
      type.alias = alias.substr(0, alias.find_first_of("!| "));
      type.is_written = alias.find('!') != std::string::npos;
      at = end + 1;
    } else if (text[at] == '?') {
      type.is_optional = true;
      ++at;
    } else if (text[at] == '[') {
      type.has_optional = type.is_optional;
      type.is_optional = false;
      type.is_list = true;
      type.count = std::atoll(text.c_str() + at + 1);
      at = text.find(']', at) + 1;
    } else {
      ++at;
    }
  }
  return type;
}

}  // namespace

int Schema::find(const std::string& argument) const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == argument) return int(i);
  return -1;
}

Schema schema_of(const std::string& text) {
  Schema schema;
  schema.text = text;
  if (text.empty()) return schema;
  const size_t open = text.find('('), arrow = text.rfind(") -> ");
  if (open == std::string::npos || arrow == std::string::npos || arrow < open)
    throw broch::Error("the host's schema '" + text + "' cannot be read");
  schema.name = text.substr(0, open);
  for (const std::string& part : parts(text.substr(open + 1, arrow - open - 1))) {
    if (part == "*") continue;
    SchemaArgument argument;
    // No type contains '='.
    const size_t equals = part.find('=');
    argument.has_default = equals != std::string::npos;
    if (argument.has_default) argument.default_text = part.substr(equals + 1);
    const std::string declared(trimmed(part.substr(0, equals)));
    const size_t space = declared.rfind(' ');
    argument.name = declared.substr(space + 1);
    argument.type = type_of(declared.substr(0, space));
    schema.arguments.push_back(std::move(argument));
  }
  std::string results(trimmed(text.substr(arrow + 5)));
  if (!results.empty() && results[0] == '(') results = results.substr(1, results.size() - 2);
  // A result may have a name.
  for (const std::string& part : parts(results)) {
    const size_t end = part.find_last_of(")]?");
    const size_t space = part.find(' ', end == std::string::npos ? 0 : end);
    schema.results.push_back(type_of(part.substr(0, space)));
  }
  return schema;
}

}  // namespace exported
