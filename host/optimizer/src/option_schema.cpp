// option_schema.cpp: schemas as trees, in the order of their keys.
#include "option_schema.hpp"

#include "value/json.hpp"

namespace broch::optimizer {

using value::Value;

namespace {

Value list_of(const std::vector<std::string>& words) {
  Value::Array list;
  for (const std::string& word : words) list.emplace_back(word);
  return Value(std::move(list));
}

}  // namespace

Properties properties(const std::string& json) {
  const Value object = value::parse_text("options of the host", json);
  Properties all;
  for (const value::Member& member : object.object()) all[member.key] = member.value;
  return all;
}

std::string options_schema(const Properties& properties, const std::vector<std::string>& required) {
  Value members(Value::Object{});
  for (const auto& [name, property] : properties) members.set(name, property);
  Value schema(Value::Object{});
  schema.set("additionalProperties", Value(false));
  schema.set("properties", std::move(members));
  if (!required.empty()) schema.set("required", list_of(required));
  schema.set("type", Value("object"));
  return value::to_text(schema);
}

}  // namespace broch::optimizer
