// schema_check.cpp: checks that a schema is of the subset. Mistakes are those of plugin authors.
#include <algorithm>
#include <regex>
#include <set>

#include "base/text.hpp"
#include "value/json.hpp"
#include "value/schema.hpp"
#include "value/schema_words.hpp"

namespace broch::value {
namespace {

using Kind = Value::Kind;

enum class Form {
  any,
  number,
  count,
  text,
  flag,
  list,
  words,
  types,
  schema,
  schemas,
  properties,
  flag_or_schema,
  pattern,
  reference
};

struct Keyword {
  const char* name;
  Form form;
  const char* type = nullptr;  // the only type that it limits
  const char* other_type = nullptr;
};

constexpr Keyword kKeywords[] = {
    {"type", Form::types},
    {"enum", Form::list},
    {"const", Form::any},
    {"default", Form::any},
    {"oneOf", Form::schemas},
    {"anyOf", Form::schemas},
    {"minimum", Form::number, "number", "integer"},
    {"maximum", Form::number, "number", "integer"},
    {"exclusiveMinimum", Form::number, "number", "integer"},
    {"exclusiveMaximum", Form::number, "number", "integer"},
    {"minLength", Form::count, "string"},
    {"maxLength", Form::count, "string"},
    {"minItems", Form::count, "array"},
    {"maxItems", Form::count, "array"},
    {"pattern", Form::pattern, "string"},
    {"items", Form::schema, "array"},
    {"properties", Form::properties},
    {"definitions", Form::properties},
    {"x-broch-ref", Form::reference},
    {"required", Form::words},
    {"additionalProperties", Form::flag_or_schema},
    {"x-broch-component", Form::text},
    {"x-broch-same-seed", Form::flag},
    {"x-broch-function", Form::flag},
    {"x-broch-path", Form::flag},
    {"x-broch-mutable", Form::flag},
    {"x-broch-unit", Form::text},
    {"x-broch-point", Form::text},
    {"description", Form::text},
    {"title", Form::text},
    {"examples", Form::list},
    {"$schema", Form::text},
    {"$id", Form::text},
    {"$comment", Form::text},
};

const std::vector<std::string> kTypes = {"null",   "boolean", "integer", "number",
                                         "string", "array",   "object"};

std::string form_in_words(Form form) {
  switch (form) {
    case Form::number:
      return "a number";
    case Form::count:
      return "an integer, at least 0";
    case Form::text:
      return "a string";
    case Form::flag:
      return "true or false";
    case Form::list:
      return "a list that is not empty";
    case Form::words:
      return "a list of strings";
    case Form::types:
      return "a type or a list of types: " + one_of(kTypes);
    case Form::schema:
      return "a schema";
    case Form::schemas:
      return "a list of schemas that is not empty";
    case Form::properties:
      return "an object of schemas";
    case Form::flag_or_schema:
      return "true, false or a schema";
    case Form::reference:
      return "\"#/…/definitions/name\", a schema of this schema that is no x-broch-ref";
    case Form::pattern:
      return "a regular expression (ECMAScript) of at most 512 bytes";
    default:
      return "a value";
  }
}

bool all_strings(const Value& value) {
  if (!value.is(Kind::array)) return false;
  for (const Value& item : value.array()) {
    if (!item.is(Kind::string)) return false;
  }
  return true;
}

bool is_type(const Value& value) {
  if (value.is(Kind::array)) {
    for (const Value& word : value.array()) {
      if (!word.is(Kind::string) || !is_type(word)) return false;
    }
    return !value.array().empty();
  }
  return value.is(Kind::string) &&
         std::find(kTypes.begin(), kTypes.end(), value.string()) != kTypes.end();
}

// The types of the schema; nullptr if it names none, or none that there are.
const Value* types_of(const Value& schema) {
  const Value* const type = schema.find("type");
  return type != nullptr && is_type(*type) ? type : nullptr;
}

// Whether a keyword says anything about values of the schema's types.
bool limits(const Keyword& keyword, const Value& schema) {
  if (keyword.type == nullptr || types_of(schema) == nullptr) return true;
  return names_type(schema, keyword.type) ||
         (keyword.other_type != nullptr && names_type(schema, keyword.other_type));
}

// Whether an object may have keys that the schema does not name.
bool is_open(const Value& schema) {
  const Value* const more = schema.find("additionalProperties");
  if (more != nullptr) return more->is(Kind::object) || is_true(more);
  return schema.find("properties") == nullptr &&
         (types_of(schema) == nullptr || !names_type(schema, "object"));
}

bool is_pattern(const Value& value) {
  constexpr size_t kLongest = 512;  // std::regex recurses once per parenthesis
  if (!value.is(Kind::string) || value.string().size() > kLongest) return false;
  try {
    std::regex regex(value.string());
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

class SchemaChecker {
 public:
  SchemaChecker(const Value& root, base::Exit exit, Faults& faults)
      : root_(root), exit_(exit), faults_(faults) {}

  void schema(const Value& value, const std::string& pointer) {
    if (!value.is(Kind::object)) {
      report(value, pointer, {in_words(value), "a schema", "write an object"});
      return;
    }
    places_.insert(pointer);
    if (value.find("x-broch-ref") != nullptr) references_.emplace_back(pointer, &value);
    for (const Member& member : value.object()) {
      keyword(value, member, child_pointer(pointer, member.key));
    }
    required(value, child_pointer(pointer, "required"));
  }

  // Each x-broch-ref leads to a schema that was checked. None is itself the branch of a choice or
  // leads to another one, so that following them always consumes a part of the value, or
  // fills in a default, whose nesting is limited.
  void references() {
    for (const auto& [pointer, holder] : references_) {
      const Value& reference = *holder->find("x-broch-ref");
      const std::string place = child_pointer(pointer, "x-broch-ref");
      if (pointer.ends_with("Of/" + pointer.substr(pointer.rfind('/') + 1)))
        report(reference, place,
               {"x-broch-ref as a branch of a choice",
                "x-broch-ref as the schema of a property or of items", "write the branch itself"});
      const Value* const target = target_of(reference);
      if (target == nullptr || target->find("x-broch-ref") != nullptr)
        report(reference, place,
               {in_words(reference), form_in_words(Form::reference), "correct it"});
    }
  }

 private:
  const Value* target_of(const Value& reference) const {
    const std::string text = reference.is(Kind::string) ? reference.string() : "";
    if (!text.starts_with("#/") || text.find("/definitions/") == std::string::npos) return nullptr;
    return places_.contains(text.substr(1)) ? find_at(root_, text.substr(1)) : nullptr;
  }

  void report(const Value& value, const std::string& pointer, const Remark& remark) {
    faults_.add(value.origin(), pointer, remark, exit_);
  }

  // A key that is required must be one that can be given.
  void required(const Value& schema, const std::string& pointer) {
    const Value* const words = schema.find("required");
    if (words == nullptr || !all_strings(*words) || is_open(schema)) return;
    const Value* const properties = schema.find("properties");
    const std::vector<std::string> names =
        properties == nullptr ? std::vector<std::string>() : properties->keys();
    for (size_t i = 0; i < words->array().size(); ++i) {
      const Value& word = words->array()[i];
      if (word.string().starts_with("x-") ||
          std::find(names.begin(), names.end(), word.string()) != names.end())
        continue;
      report(word, child_pointer(pointer, i),
             {in_words(word) + ", which no property has",
              names.empty() ? "no key here" : one_of(names),
              nearest_hint(word.string(), names, "add the property, or remove the word")});
    }
  }

  void keyword(const Value& schema, const Member& member, const std::string& pointer) {
    for (const Keyword& known : kKeywords) {
      if (member.key != known.name) continue;
      if (!fits(member.value, known.form, pointer))
        report(member.value, pointer,
               {in_words(member.value), form_in_words(known.form),
                "correct the keyword " + base::quoted(member.key)});
      else if (!limits(known, schema))
        report(member.value, pointer,
               {base::quoted(member.key) + " next to the type " + to_text(*types_of(schema)),
                std::string("the type ") + known.type +
                    (known.other_type == nullptr ? "" : std::string(" or ") + known.other_type),
                "remove it; it would limit nothing"});
      return;
    }
    if (member.key.starts_with("x-") && !member.key.starts_with("x-broch-")) return;
    std::vector<std::string> names;
    for (const Keyword& known : kKeywords) names.push_back(known.name);
    faults_.add(member.origin, pointer,
                {"unknown keyword " + base::quoted(member.key), one_of(names),
                 nearest_hint(member.key, names, "remove it; the host would not check it")},
                exit_);
  }

  bool fits(const Value& value, Form form, const std::string& pointer) {
    switch (form) {
      case Form::any:
      case Form::reference:  // checked when all schemas are known
        return true;
      case Form::number:
        return value.is_number();
      case Form::count:
        return value.is(Kind::integer) && value.integer() >= 0;
      case Form::text:
        return value.is(Kind::string);
      case Form::flag:
        return value.is(Kind::boolean);
      case Form::list:
        return value.is(Kind::array) && !value.array().empty();
      case Form::words:
        return all_strings(value);
      case Form::types:
        return is_type(value);
      case Form::pattern:
        return is_pattern(value);
      case Form::schema:
        schema(value, pointer);
        return true;
      case Form::flag_or_schema:
        if (!value.is(Kind::boolean)) schema(value, pointer);
        return true;
      case Form::schemas:
        return schemas(value, pointer);
      case Form::properties:
        return properties(value, pointer);
    }
    return false;
  }

  bool schemas(const Value& value, const std::string& pointer) {
    if (!value.is(Kind::array) || value.array().empty()) return false;
    for (size_t i = 0; i < value.array().size(); ++i) {
      schema(value.array()[i], child_pointer(pointer, i));
    }
    return true;
  }

  bool properties(const Value& value, const std::string& pointer) {
    if (!value.is(Kind::object)) return false;
    for (const Member& property : value.object()) {
      schema(property.value, child_pointer(pointer, property.key));
    }
    return true;
  }

  const Value& root_;
  const base::Exit exit_;
  Faults& faults_;
  std::set<std::string> places_;  // of all schemas
  std::vector<std::pair<std::string, const Value*>>
      references_;  // schemas with x-broch-ref, by place
};

// The default of a property, if it has one, must be valid for its schema.
void check_default(const Value& property, const Value& root, const std::string& pointer,
                   base::Exit exit, Faults& faults) {
  const Value* const standard = property.find("default");
  if (standard == nullptr) return;
  Faults found;
  check_part(*standard, property, root, "", "", found);
  if (found.empty()) return;
  faults.add(standard->origin(), child_pointer(pointer, "default"),
             {in_words(*standard), expected_by(property),
              "a default must fit its own schema and not contain itself"},
             exit);
}

// The same for all properties in a schema.
void check_defaults(const Value& schema, const Value& root, const std::string& pointer,
                    base::Exit exit, Faults& faults) {
  if (const Value* definitions = schema.find("definitions"))
    for (const Member& definition : definitions->object())
      check_defaults(definition.value, root,
                     child_pointer(child_pointer(pointer, "definitions"), definition.key), exit,
                     faults);
  for (const char* choice : {"anyOf", "oneOf"})
    if (const Value* branches = schema.find(choice))
      for (size_t i = 0; i < branches->array().size(); ++i)
        check_defaults(branches->array()[i], root, child_pointer(child_pointer(pointer, choice), i),
                       exit, faults);
  for (const char* inner : {"items", "additionalProperties"})
    if (const Value* part = schema.find(inner); part != nullptr && part->is(Kind::object))
      check_defaults(*part, root, child_pointer(pointer, inner), exit, faults);
  const Value* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const Member& property : properties->object()) {
    const std::string place = child_pointer(child_pointer(pointer, "properties"), property.key);
    check_defaults(property.value, root, place, exit, faults);
    check_default(property.value, root, place, exit, faults);
  }
}

// Only named options may change during a run, not parts of a list or of a choice.
void check_mutable(const Value& schema, const std::string& pointer, bool has_name, bool inside,
                   base::Exit exit, Faults& faults) {
  if (!schema.is(Kind::object)) return;
  const Value* const word = schema.find("x-broch-mutable");
  if (is_true(word) && !has_name)
    faults.add(word->origin(), child_pointer(pointer, "x-broch-mutable"),
               {"an option without a name", "a property of an object that is in no list",
                "mark the option around it"},
               exit);
  inside = inside || is_true(word);
  if (inside && (schema.find("x-broch-component") || is_true(schema.find("x-broch-function"))))
    faults.add(schema.origin(), pointer,
               {"a component or a function that may change", "a value",
                "leave x-broch-mutable out: instances stay as long as the run"},
               exit);
  for (const Member& member : schema.object()) {
    const std::string place = child_pointer(pointer, member.key);
    if (member.key == "definitions" && member.value.is(Kind::object))
      for (const Member& definition : member.value.object())
        check_mutable(definition.value, child_pointer(place, definition.key), false, inside, exit,
                      faults);
    if (member.key == "properties" && member.value.is(Kind::object))
      for (const Member& property : member.value.object())
        check_mutable(property.value, child_pointer(place, property.key), has_name, inside, exit,
                      faults);
    if (member.key == "items" || member.key == "additionalProperties")
      check_mutable(member.value, place, false, inside, exit, faults);
    if ((member.key == "anyOf" || member.key == "oneOf") && member.value.is(Kind::array))
      for (size_t i = 0; i < member.value.array().size(); ++i)
        check_mutable(member.value.array()[i], child_pointer(place, i), false, inside, exit,
                      faults);
  }
}

}  // namespace

void check_schema(const Value& schema, base::Exit exit, Faults& faults) {
  Faults found;
  SchemaChecker checker(schema, exit, found);
  checker.schema(schema, "");
  checker.references();
  if (found.empty()) check_defaults(schema, schema, "", exit, found);
  check_mutable(schema, "", true, false, exit, found);
  faults.add(found);
}

}  // namespace broch::value
