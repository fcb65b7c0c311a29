// schema_document.cpp: one draft 7 document with the definitions slot.<role> (a name or an entry),
// entry.<role>, options.<id> and what a schema of options defines itself.
#include "manifest/schema_document.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "manifest/short_name.hpp"
#include "top_level.hpp"
#include "value/make.hpp"
#include "value/schema_words.hpp"

namespace broch::manifest {
namespace {

using Kind = Value::Kind;
using Words = std::vector<std::string>;

Value list(Value::Array values) { return Value(std::move(values)); }

Value texts(const Words& words) { return value::list(words); }

Value reference(const std::string& definition) {
  return object({{"$ref", text("#/definitions/" + definition)}});
}

Value of_type(const Words& words) {
  return object({{"type", words.size() == 1 ? text(words.front()) : texts(words)}});
}

bool has(const Value& schema, const char* keyword) { return schema.find(keyword) != nullptr; }

bool takes_null(const Value& schema) {
  const Value* standard = schema.find("default");
  return names_type(schema, "null") || (standard != nullptr && standard->is_null());
}

// Keywords for people, and our own.
bool is_note(const std::string& keyword) {
  return keyword == "description" || keyword == "default" || keyword == "title" ||
         keyword == "examples" || keyword.starts_with("x-");
}

// Puts another schema around this one, and moves its notes to the outer one.
Value wrapped(const Value& schema, Value around) {
  Value result(Value::Object{});
  for (const Member& member : schema.object()) {
    if (is_note(member.key)) result.set(member.key, member.value);
  }
  for (Member& member : around.object()) result.set(member.key, std::move(member.value));
  return result;
}

Value without_notes(const Value& schema) {
  Value result(Value::Object{});
  for (const Member& member : schema.object()) {
    if (!is_note(member.key)) result.set(member.key, member.value);
  }
  return result;
}

// The types that a value may have, in words of JSON Schema; empty: any.
Words types_of(const Value& schema) {
  Words words;
  if (has(schema, "x-broch-component")) words = {"string", "object"};
  if (is_true(schema.find("x-broch-function"))) words = {"string", "number", "object"};
  if (!words.empty()) {
    if (takes_null(schema)) words.emplace_back("null");
    return words;
  }
  const Value* type = schema.find("type");
  if (type == nullptr) return {};
  if (type->is(Kind::string)) return {type->string()};
  for (const Value& word : type->array()) words.push_back(word.string());
  return words;
}

const Value::Array* branches_of(const Value& schema) {
  for (const char* keyword : {"anyOf", "oneOf"}) {
    if (const Value* branches = schema.find(keyword)) return &branches->array();
  }
  return nullptr;
}

// Whether the schema already allows any string.
bool takes_any_text(const Value& schema) {
  if (const Value::Array* branches = branches_of(schema)) {
    return std::any_of(branches->begin(), branches->end(), takes_any_text);
  }
  for (const char* keyword : {"enum", "const", "pattern", "maxLength"}) {
    if (has(schema, keyword)) return false;
  }
  return type_allows(schema, Value(std::string()));
}

bool takes_containers(const Value& schema) {
  if (const Value::Array* branches = branches_of(schema)) {
    return std::any_of(branches->begin(), branches->end(), takes_containers);
  }
  const Words types = types_of(schema);
  return std::any_of(types.begin(), types.end(),
                     [](const std::string& word) { return word == "object" || word == "array"; });
}

// Whether the type of a value decides which branch it belongs to.
bool are_told_apart(const Value::Array& branches) {
  std::set<std::string> seen;
  for (const Value& branch : branches) {
    const Words types = types_of(branch);
    if (types.empty()) return false;
    for (const std::string& word : types) {
      if (!seen.insert(word == "integer" ? "number" : word).second) return false;
    }
  }
  return true;
}

class Builder {
 public:
  explicit Builder(const Catalog& catalog) : catalog_(catalog) {
    for (const std::string& id : catalog.ids()) read(id);
  }

  SchemaDocument build() {
    Value document = object({{"$schema", text("http://json-schema.org/draft-07/schema#")},
                             {"title", text("A manifest of Broch")},
                             {"allowComments", Value(true)},
                             {"allowTrailingCommas", Value(true)}});
    const Value top = bare(top_level_schema());
    for (const Member& member : top.object()) document.set(member.key, member.value);
    document.set("if", object({{"not", object({{"required", texts({"extends"})}})}}));
    document.set("then", object({{"properties", whole_entries()}}));
    definitions_["substitution"] =
        object({{"type", text("string")},
                {"pattern", text("\\$\\{")},
                {"description", text("${vars.name}, ${env:NAME}, ${env:NAME:-default}, "
                                     "${manifest.dir} or ${name}")}});
    definitions_["whole-entry"] =
        object({{"if", of_type({"object"})},
                {"then", object({{"anyOf", list({object({{"required", texts({"use"})}}),
                                                 object({{"required", texts({"ref"})}})})}})}});
    Value definitions(Value::Object{});
    for (const auto& [name, schema] : definitions_) definitions.set(name, schema);
    document.set("definitions", std::move(definitions));
    return {std::move(document), std::move(left_out_)};
  }

 private:
  void read(const std::string& id) {
    try {
      const Catalog::Kind& kind = *catalog_.find(id);
      for (const std::string& role : kind.roles) ids_[role].push_back(id);
      kinds_[id] = &kind;
    } catch (const base::Error& error) {  // its schema is invalid
      left_out_.emplace_back(error.what());
    }
  }

  // Converts a schema to plain draft 7, and allows ${…} where it did not.
  Value node(const Value& schema) {
    if (has(schema, "x-broch-ref")) return definition_of(schema);
    if (has(schema, "x-broch-component") || is_true(schema.find("x-broch-function")) ||
        takes_any_text(schema)) {
      return bare(schema);
    }
    const Value plain = bare(schema);
    const Value substitution = reference("substitution");
    if (takes_containers(schema)) {  // so that faults inside are reported at their places
      return wrapped(plain, object({{"if", substitution}, {"else", without_notes(plain)}}));
    }
    return wrapped(plain, object({{"anyOf", list({without_notes(plain), substitution})}}));
  }

  Value bare(const Value& schema) {
    if (is_true(schema.find("x-broch-function"))) return function(schema);
    if (const Value* role = schema.find("x-broch-component")) return slot(schema, role->string());
    if (const Value::Array* branches = branches_of(schema)) return choice(schema, *branches);
    Value result = schema;
    result.remove("definitions");
    for (Member& member : result.object()) {
      if (member.key == "properties") {
        for (Member& property : member.value.object()) property.value = node(property.value);
      }
      const bool is_schema = member.key == "items" || (member.key == "additionalProperties" &&
                                                       member.value.is(Kind::object));
      if (is_schema) member.value = node(member.value);
    }
    close(result);
    return result;
  }

  // A definition of the component's schema becomes one of the document.
  Value definition_of(const Value& schema) {
    std::string name = root_name_ + schema.find("x-broch-ref")->string().substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    if (!definitions_.contains(name)) {
      definitions_[name] = Value(Value::Object{});
      definitions_[name] = node(referred(schema, *root_));
    }
    Value notes = schema;
    notes.remove("x-broch-ref");
    return wrapped(notes, object({{"allOf", list({reference(name)})}}));
  }

  // Forbids unknown keys unless the schema allows them, but allows x- notes.
  static void close(Value& schema) {
    const Value* more = schema.find("additionalProperties");
    const bool is_closed =
        more == nullptr && (has(schema, "properties") || names_type(schema, "object"));
    if (is_closed) schema.set("additionalProperties", Value(false));
    more = schema.find("additionalProperties");
    if (more == nullptr || is_true(more)) return;
    schema.set("patternProperties", object({{"^x-", Value(Value::Object{})}}));
  }

  // Selects a branch by the value's type if possible, so that only faults of that branch are
  // reported.
  Value choice(const Value& schema, const Value::Array& branches) {
    if (const std::string tag = tag_of(branches); !tag.empty())
      return tagged(schema, branches, tag);
    if (!takes_containers(schema) || !are_told_apart(branches)) {
      Value::Array all;
      for (const Value& branch : branches) all.push_back(bare(branch));
      return wrapped(schema,
                     object({{has(schema, "oneOf") ? "oneOf" : "anyOf", list(std::move(all))}}));
    }
    Words types;
    Value::Array rules;
    for (const Value& branch : branches) {
      const Words own = types_of(branch);
      types.insert(types.end(), own.begin(), own.end());
      rules.push_back(object({{"if", of_type(own)}, {"then", bare(branch)}}));
    }
    Value by_type = of_type(types);
    by_type.set("allOf", list(std::move(rules)));
    return wrapped(schema, std::move(by_type));
  }

  // Selects among the objects by the constant under the tag.
  Value tagged(const Value& schema, const Value::Array& branches, const std::string& tag) {
    Words types{"object"}, descriptions;
    Value::Array constants, rules, others;
    bool takes_any = false;
    for (const Value& branch : branches) {
      const Value* const constant = constant_of(branch, tag);
      if (constant == nullptr) {
        const Words own = types_of(branch);
        takes_any = takes_any || own.empty();
        types.insert(types.end(), own.begin(), own.end());
        const Value is_own = own.empty() ? object({{"not", of_type({"object"})}}) : of_type(own);
        others.push_back(object({{"if", is_own}, {"then", bare(branch)}}));
        continue;
      }
      constants.push_back(*constant);
      descriptions.push_back(described_or(branch, ""));
      const Value chosen = object({{tag.c_str(), object({{"const", *constant}})}});
      const Value is_chosen = object({{"properties", chosen}, {"required", texts({tag})}});
      rules.push_back(object({{"if", is_chosen}, {"then", bare(branch)}}));
    }
    const Value tags =
        object({{"enum", list(std::move(constants))}, {"enumDescriptions", texts(descriptions)}});
    const Value known = object({{"required", texts({tag})},
                                {"properties", object({{tag.c_str(), tags}})},
                                {"allOf", list(std::move(rules))}});
    others.push_back(object({{"if", of_type({"object"})}, {"then", known}}));
    Value by_type = takes_any ? Value(Value::Object{}) : of_type(types);
    by_type.set("allOf", list(std::move(others)));
    return wrapped(schema, std::move(by_type));
  }

  Value function(const Value& schema) {
    Value result = of_type(types_of(schema));
    result.set("if", of_type({"object"}));
    result.set("then", reference(entry_definition("function")));
    return wrapped(schema, std::move(result));
  }

  // Draft 7 ignores everything next to $ref, so the reference is inside allOf.
  Value slot(const Value& schema, const std::string& role) {
    const bool nullable = takes_null(schema);
    const std::string name = "slot." + role + (nullable ? ".or-null" : "");
    if (!definitions_.contains(name)) define_slot(name, role, nullable);
    return wrapped(schema, object({{"allOf", list({reference(name)})}}));
  }

  void define_slot(const std::string& name, const std::string& role, bool nullable) {
    Words types{"string", "object"};
    if (nullable) types.emplace_back("null");
    Value schema = of_type(types);
    if (!ids_[role].empty()) schema.set("examples", texts(short_names(role)));
    schema.set("if", of_type({"string"}));
    schema.set("then", use_of(role));
    schema.set("else", reference(entry_definition(role)));
    definitions_[name] = std::move(schema);
  }

  // Defines the entry of a role at its first use, since options may contain slots themselves.
  std::string entry_definition(const std::string& role) {
    const std::string name = "entry." + role;
    if (definitions_.contains(name)) return name;
    definitions_[name] = Value(Value::Object{});
    Value schema = bare(entry_schema());
    schema.remove("type");  // the slot says whether null is allowed
    Value& properties = *schema.find("properties");
    Value& use = *properties.find("use");
    use = wrapped(use, use_of(role));
    if (role != "callback")
      for (const char* key : {"when", "run_on"}) properties.remove(key);
    Value::Array rules = {
        object({{"if", object({{"required", texts({"ref"})}})},
                {"then", object({{"propertyNames", object({{"pattern", text("^(ref$|x-)")}})}})}})};
    for (const std::string& id : ids_[role]) rules.push_back(options_rule(id, role));
    schema.set("allOf", list(std::move(rules)));
    definitions_[name] = std::move(schema);
    return name;
  }

  // Allows the names of a role's components, short ones first.
  Value use_of(const std::string& role) {
    const Value substitution = reference("substitution");
    Words names = short_names(role), summaries;
    for (const std::string& id : ids_[role]) {
      summaries.push_back(kinds_[id]->summary);
    }
    const size_t count = names.size();
    for (size_t i = 0; i < count; ++i) {
      if (names[i] == ids_[role][i]) continue;
      names.push_back(ids_[role][i]);
      summaries.push_back(summaries[i]);
    }
    if (names.empty()) return substitution;  // none is installed
    const Value known = object({{"enum", texts(names)}, {"enumDescriptions", texts(summaries)}});
    return object({{"anyOf", list({known, substitution})}});
  }

  // In the order of the ids; the id itself if no shorter name is unique.
  Words short_names(const std::string& role) {
    Words names;
    for (const std::string& id : ids_[role]) names.push_back(short_name(id, role));
    return names;
  }

  Value options_rule(const std::string& id, const std::string& role) {
    Words names{id};
    if (const std::string word = short_name(id, role); word != id) names.push_back(word);
    const Value* required = kinds_[id]->options.find("required");
    Value rule = object({{"properties", object({{"with", reference(options_definition(id))}})}});
    if (required != nullptr && !required->array().empty()) rule.set("required", texts({"with"}));
    return object(
        {{"if", object({{"properties", object({{"use", object({{"enum", texts(names)}})}})},
                        {"required", texts({"use"})}})},
         {"then", std::move(rule)}});
  }

  std::string options_definition(const std::string& id) {
    const std::string name = "options." + id;
    if (definitions_.contains(name)) return name;
    definitions_[name] = Value(Value::Object{});
    Value options = kinds_[id]->options;
    if (options.find("type") == nullptr) options.set("type", text("object"));
    Value schema = object({{"title", text(id)}, {"description", text(kinds_[id]->summary)}});
    const auto around = std::make_pair(root_, root_name_);
    root_ = &options;
    root_name_ = name;
    const Value written = node(options);
    std::tie(root_, root_name_) = around;
    for (const Member& member : written.object()) schema.set(member.key, member.value);
    definitions_[name] = std::move(schema);
    return name;
  }

  // Requires a "use" in each component slot of the top level, be it one entry or a list.
  static Value whole_entries() {
    Value properties(Value::Object{});
    const Value whole = reference("whole-entry");
    for (const std::string& key : component_keys()) {
      properties.set(key, object({{"allOf", list({whole})}, {"items", whole}}));
    }
    return properties;
  }

  const Catalog& catalog_;
  std::map<std::string, Words> ids_;  // by role
  std::map<std::string, const Catalog::Kind*> kinds_;
  std::map<std::string, Value> definitions_;
  const Value* root_ = nullptr;  // the schema of options that is being written
  std::string root_name_;        // its definition
  Words left_out_;
};

}  // namespace

SchemaDocument schema_document(const Catalog& catalog) { return Builder(catalog).build(); }

}  // namespace broch::manifest
