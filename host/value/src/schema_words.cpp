// schema_words.cpp: describes in words what a schema requires.
#include "value/schema_words.hpp"

#include <algorithm>
#include <cmath>

#include "base/noun.hpp"
#include "base/text.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::value {
namespace {

bool fits_word(const std::string& word, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null:
      return word == "null";
    case Value::Kind::boolean:
      return word == "boolean";
    case Value::Kind::integer:
      return word == "integer" || word == "number";
    case Value::Kind::real:  // draft 7: 3.0 is an integer; above 2^53 doubles are not exact
      return word == "number" ||
             (word == "integer" && std::trunc(value.number()) == value.number() &&
              std::fabs(value.number()) <= 9007199254740992.0);
    case Value::Kind::string:
      return word == "string";
    case Value::Kind::array:
      return word == "array";
    case Value::Kind::object:
      return word == "object";
  }
  return false;
}

Value::Array type_words(const Value& schema) {
  const Value* type = schema.find("type");
  if (type == nullptr) return {};
  return type->is(Value::Kind::array) ? type->array() : Value::Array{*type};
}

std::string type_in_words(const std::string& word) {
  if (word == "boolean") return "true or false";
  if (word == "array") return "a list";
  return word == "null" ? word : base::with_article(word);
}

std::string branches(const Value::Array& schemas) {
  std::vector<std::string> words;
  for (const Value& schema : schemas) words.push_back(expected_by(schema));
  return base::join(words, " or ");
}

std::string types(const Value& schema) {
  std::vector<std::string> words;
  for (const Value& word : type_words(schema)) words.push_back(type_in_words(word.string()));
  return base::join(words, " or ");
}

std::string bounds(const Value& schema) {
  constexpr std::pair<const char*, const char*> kBounds[] = {
      {"minimum", ", at least "},          {"exclusiveMinimum", ", above "},
      {"maximum", ", at most "},           {"exclusiveMaximum", ", below "},
      {"minItems", ", entries at least "}, {"maxItems", ", entries at most "},
      {"minLength", ", length at least "}, {"maxLength", ", length at most "},
      {"pattern", ", matching "}};
  std::string text;
  for (const auto& [keyword, words] : kBounds) {
    if (const Value* bound = schema.find(keyword)) text += words + in_words(*bound);
  }
  if (const Value* unit = schema.find("x-broch-unit")) text += " (" + unit->string() + ")";
  return text;
}

bool is_among(const Value& value, const Value& schema) {
  const Value* constant = schema.find("const");
  if (constant != nullptr) return *constant == value;
  const Value* choices = schema.find("enum");
  if (choices == nullptr) return true;
  const Value::Array& all = choices->array();
  return std::find(all.begin(), all.end(), value) != all.end();
}

}  // namespace

bool is_true(const Value* keyword) {
  return keyword != nullptr && keyword->is(Value::Kind::boolean) && keyword->boolean();
}

bool type_allows(const Value& schema, const Value& value) {
  const Value::Array words = type_words(schema);
  for (const Value& word : words) {
    if (fits_word(word.string(), value)) return true;
  }
  return words.empty();
}

bool names_type(const Value& schema, const char* word) {
  for (const Value& type : type_words(schema)) {
    if (type.string() == word) return true;
  }
  return false;
}

Value as_wanted(const Value& value, const Value& schema) {
  const auto& substitution = value.origin().substitution;
  if (!substitution || !substitution->is_text || !value.is(Value::Kind::string)) return value;
  const auto fits = [&schema](const Value& candidate) {
    return type_allows(schema, candidate) && is_among(candidate, schema);
  };
  if (fits(value)) return value;
  try {
    Value read = parse_text(value.origin().text(), value.string());
    read.set_origin_deep(value.origin());
    return fits(read) ? read : value;
  } catch (const base::Error&) {
    return value;  // it is text after all; the schema reports what is wrong
  }
}

std::string expected_by(const Value& schema) {
  if (const Value* constant = schema.find("const")) return in_words(*constant);
  if (const Value* choices = schema.find("enum")) {
    std::vector<std::string> words;
    for (const Value& choice : choices->array()) words.push_back(in_words(choice));
    return one_of(words);
  }
  if (const Value* role = schema.find("x-broch-component")) {
    return "a component of role " + role->string() + " ({\"use\": …} or its name)";
  }
  if (is_true(schema.find("x-broch-function")))
    return "an expression or a component of role function";
  const std::string text = types(schema) + bounds(schema);
  for (const char* keyword : {"anyOf", "oneOf"}) {
    const Value* list = schema.find(keyword);
    if (text.empty() && list != nullptr) return branches(list->array());
  }
  return text.empty() ? "another value" : text;
}

const Value* constant_of(const Value& branch, const std::string& tag) {
  const Value* properties = branch.find("properties");
  const Value* property = properties == nullptr ? nullptr : properties->find(tag);
  return property == nullptr ? nullptr : property->find("const");
}

std::string type_in_words(const Value& schema) {
  if (const Value* reference = schema.find("x-broch-ref"))
    return reference->string().substr(reference->string().rfind('/') + 1);
  if (const Value* role = schema.find("x-broch-component")) return "component: " + role->string();
  if (schema.find("x-broch-function")) return "function";
  if (const Value* type = schema.find("type"))
    return type->is(Value::Kind::string) ? type->string() : to_text(*type);
  if (const Value* words = schema.find("enum")) return to_text(*words);
  for (const char* choice : {"anyOf", "oneOf"})
    if (const Value* kinds = schema.find(choice)) {
      std::vector<std::string> names;
      for (const Value& kind : kinds->array())
        if (const std::string name = type_in_words(kind);
            std::ranges::find(names, name) == names.end())
          names.push_back(name);
      return base::join(names, " or ");
    }
  return "any";
}

std::string tag_of(const Value::Array& branches) {
  std::vector<const Value*> objects;
  for (const Value& branch : branches) {
    if (branch.find("properties") != nullptr) objects.push_back(&branch);
  }
  if (objects.size() < 2) return "";
  for (const Member& property : objects.front()->find("properties")->object()) {
    const auto has_constant = [&property](const Value* branch) {
      return constant_of(*branch, property.key) != nullptr;
    };
    if (std::all_of(objects.begin(), objects.end(), has_constant)) return property.key;
  }
  return "";
}

const Value& referred(const Value& schema, const Value& root) {
  const Value* reference = schema.find("x-broch-ref");
  return reference == nullptr ? schema : *find_at(root, reference->string().substr(1));
}

std::string described_or(const Value& schema, const std::string& otherwise) {
  const Value* description = schema.find("description");
  return description == nullptr ? otherwise : description->string();
}

}  // namespace broch::value
