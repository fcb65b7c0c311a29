// reference.cpp: reads the schemas of the top level and of an entry.
#include "manifest/reference.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "manifest/component.hpp"
#include "top_level.hpp"
#include "value/json.hpp"
#include "value/schema_words.hpp"

namespace broch::manifest {
namespace {

std::string kind_of(const Value& schema) {
  const Value* items = schema.find("items");
  return expected_by(schema) + (items ? "; each entry: " + expected_by(*items) : "");
}

// As JSON, with a space after commas so that lines can be broken.
std::string text_of(const Value& value) {
  if (!value.is(Value::Kind::array)) return to_text(value);
  std::vector<std::string> items;
  for (const Value& item : value.array()) items.push_back(to_text(item));
  return "[" + base::join(items, ", ") + "]";
}

bool is_required(const Value& schema, const std::string& key) {
  const Value* required = schema.find("required");
  if (required == nullptr) return false;
  const Value::Array& keys = required->array();
  return std::any_of(keys.begin(), keys.end(),
                     [&key](const Value& one) { return one.string() == key; });
}

void add_keys(const Value& schema, const std::string& before, std::vector<KeyReference>& keys) {
  if (const Value* branches = schema.find("anyOf")) {
    for (const Value& branch : branches->array()) add_keys(branch, before, keys);
  }
  const Value* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const Member& property : properties->object()) {
    const Value* standard = property.value.find("default");
    const std::string initial = standard != nullptr ? text_of(*standard) : "";
    keys.push_back({before + property.key, kind_of(property.value),
                    is_required(schema, property.key) ? "required" : initial,
                    described_or(property.value, "")});
    add_keys(property.value, before + property.key + ".", keys);
  }
}

std::vector<KeyReference> keys_of(const Value& schema) {
  std::vector<KeyReference> keys;
  add_keys(schema, "", keys);
  return keys;
}

}  // namespace

std::vector<KeyReference> manifest_keys() { return keys_of(top_level_schema()); }

std::vector<KeyReference> entry_keys() { return keys_of(entry_schema()); }

}  // namespace broch::manifest
