// functions.cpp: walks through options and their schema in parallel.
#include "functions.hpp"

namespace broch::session {
namespace {

using value::Value;

void walk(const Value& schema, const Value& value, const std::string& pointer,
          std::vector<FunctionOption>& found) {
  if (schema.find("x-broch-function") && (value.is(Value::Kind::string) || value.is_number()))
    found.push_back({pointer, &value});
  const Value* properties = schema.find("properties");
  if (properties && value.is(Value::Kind::object))
    for (const value::Member& member : value.object())
      if (const Value* inner = properties->find(member.key))
        walk(*inner, member.value, value::child_pointer(pointer, member.key), found);
  const Value* items = schema.find("items");
  if (items && value.is(Value::Kind::array))
    for (size_t i = 0; i < value.array().size(); ++i)
      walk(*items, value.array()[i], value::child_pointer(pointer, i), found);
}

}  // namespace

std::vector<FunctionOption> find_functions(const manifest::Component& component,
                                           const manifest::Catalog& catalog) {
  std::vector<FunctionOption> found;
  if (const manifest::Catalog::Kind* kind = catalog.find(component.use))
    walk(kind->options, component.with(), "", found);
  return found;
}

}  // namespace broch::session
