// override_paths.cpp: follows the schemas of a manifest and of its components' options.
#include "manifest/override_paths.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "extends.hpp"
#include "manifest/overrides.hpp"
#include "manifest/short_name.hpp"
#include "substitution.hpp"
#include "top_level.hpp"
#include "value/paths.hpp"
#include "value/schema_words.hpp"

namespace broch::manifest {
namespace {

using Kind = OverridePath::Kind;
using Words = std::vector<std::string>;

constexpr char kComponent[] = "x-broch-component";

std::string text_of(const Value* value) {
  return value != nullptr && value->is(Value::Kind::string) ? value->string() : "";
}

const Value* find_in(const Value* object, std::string_view key) {
  return object == nullptr ? nullptr : object->find(key);
}

// ".key", or ["key"] if it contains characters that are special in paths.
std::string step(const std::string& key) {
  return key.find_first_of(".[]=") == std::string::npos ? "." + key : "[\"" + key + "\"]";
}

// The label by which overrides find the entry: "name", else the last word of "use".
std::string label_of(const Value& entry) {
  const Value* use = entry.is(Value::Kind::string) ? &entry : entry.find("use");
  const std::string name = text_of(entry.find("name"));
  return name.empty() ? std::string(last_word(text_of(use))) : name;
}

const Value* branch_with(const Value& schema, const char* keyword) {
  if (schema.find(keyword) != nullptr) return &schema;
  const Value* branches = schema.find("anyOf");
  if (branches == nullptr) return nullptr;
  for (const Value& branch : branches->array()) {
    if (branch.find(keyword) != nullptr) return &branch;
  }
  return nullptr;
}

// The role of the components that are allowed here; "" if none are.
std::string role_of(const Value& schema) {
  return text_of(find_in(branch_with(schema, kComponent), kComponent));
}

std::string role_of_items(const Value& schema) {
  const Value* items = find_in(branch_with(schema, "items"), "items");
  return items == nullptr ? "" : role_of(*items);
}

class Walker {
 public:
  explicit Walker(const Catalog& catalog) : catalog_(catalog) {}

  std::vector<OverridePath> walk(const Value& manifest) {
    for (const Member& property : top_level_schema().find("properties")->object()) {
      const bool is_read_before = property.key == "extends" || property.key == "$schema";
      if (!is_read_before) place(property.key, property.value, manifest.find(property.key));
    }
    return std::move(paths_);
  }

 private:
  void add(const std::string& path, Kind kind, Words values = {}) {
    paths_.push_back({path, kind, std::move(values)});
  }

  void place(const std::string& path, const Value& schema, const Value* value) {
    const bool is_object = value != nullptr && value->is(Value::Kind::object);
    const bool is_list = value != nullptr && value->is(Value::Kind::array);
    if (const std::string role = role_of_items(schema); is_list && !role.empty()) {
      return list(path, role, *value);
    }
    if (const std::string role = role_of(schema); !role.empty()) return slot(path, role, value);
    if (is_object && is_true(schema.find("x-broch-function"))) {
      return entry(path, "function", *value);
    }
    const Value* properties = find_in(branch_with(schema, "properties"), "properties");
    if (is_object && properties != nullptr) {
      for (const Member& property : properties->object()) {
        place(path + step(property.key), property.value, value->find(property.key));
      }
    } else if (is_object) {
      free_keys(path, *value);
    } else {
      add(path, is_list ? Kind::list : Kind::value, values_of(schema));
    }
  }

  void list(const std::string& path, const std::string& role, const Value& entries) {
    add(path, Kind::list, names_of(role));
    Words labels;
    for (const Value& one : entries.array()) labels.push_back(label_of(one));
    for (size_t i = 0; i < labels.size(); ++i) {
      const bool is_one = std::count(labels.begin(), labels.end(), labels[i]) == 1;
      const std::string label = is_one && !labels[i].empty() ? labels[i] : std::to_string(i);
      add(path + "[" + label + "]", Kind::entry);
      entry(path + "[" + label + "]", role, entries.array()[i]);
    }
  }

  void slot(const std::string& path, const std::string& role, const Value* value) {
    const bool is_entry =
        value != nullptr && (value->is(Value::Kind::object) || value->is(Value::Kind::string));
    is_entry ? entry(path, role, *value) : add(path, Kind::value, names_of(role));
  }

  void entry(const std::string& path, const std::string& role, const Value& entry) {
    const std::string use = text_of(entry.is(Value::Kind::string) ? &entry : entry.find("use"));
    if (use.empty()) return;  // a reference
    add(path + ".use", Kind::value, names_of(role));
    const Value* options = find_in(options_of(full_id(use, role)), "properties");
    if (options != nullptr) {
      for (const Member& option : options->object()) {
        place(path + ".with" + step(option.key), option.value,
              find_in(entry.find("with"), option.key));
      }
    }
    const Value& known = *entry_schema().find("properties");
    add(path + ".name", Kind::value);
    if (role != "callback") return;
    for (const Member& when : find_at(known, "/when/properties")->object()) {
      add(path + ".when" + step(when.key), Kind::value, values_of(when.value));
    }
    add(path + ".run_on", Kind::value, values_of(*known.find("run_on")));
  }

  // For objects without a schema: the keys that are written.
  void free_keys(const std::string& path, const Value& object) {
    for (const Member& member : object.object()) {
      const std::string inner = path + step(member.key);
      if (member.value.is(Value::Kind::object)) {
        free_keys(inner, member.value);
      } else {
        add(inner, member.value.is(Value::Kind::array) ? Kind::list : Kind::value);
      }
    }
  }

  const Value* options_of(const std::string& id) const {
    const Catalog::Kind* kind = find_valid(catalog_, id);
    return kind == nullptr ? nullptr : &kind->options;
  }

  Words names_of(const std::string& role) const {
    Words names;
    for (const std::string& id : catalog_.ids()) {
      const Catalog::Kind* kind = find_valid(catalog_, id);
      const bool has_role =
          kind != nullptr && std::count(kind->roles.begin(), kind->roles.end(), role) > 0;
      if (has_role) names.push_back(short_name(id, role));
    }
    return names;
  }

  static Words values_of(const Value& schema) {
    Words words;
    if (names_type(schema, "boolean")) words = {"true", "false"};
    if (const Value* choices = schema.find("enum")) {
      for (const Value& choice : choices->array()) words.push_back(text_of(&choice));
    }
    if (const Value* branches = schema.find("anyOf")) {
      for (const Value& branch : branches->array()) {
        const Words more = values_of(branch);
        words.insert(words.end(), more.begin(), more.end());
      }
    }
    std::erase(words, "");
    return words;
  }

  const Catalog& catalog_;
  std::vector<OverridePath> paths_;
};

void apply_what_can_be(Value& manifest, const std::vector<std::string>& overrides) {
  for (const std::string& change : overrides) {
    Value changed = manifest;
    try {
      apply_overrides(changed, {change});
      manifest = std::move(changed);
    } catch (const base::Error&) {
    }
  }
}

std::vector<std::string> plugins_of(Value manifest, const Surroundings& surroundings) {
  Faults left_out;
  substitute(manifest, surroundings.environment, left_out);
  std::vector<std::string> paths;
  const Value* plugins = manifest.find("plugins");
  if (plugins == nullptr || !plugins->is(Value::Kind::array)) return paths;
  for (const Value& one : plugins->array()) {
    const auto& source = one.origin().source;
    if (!one.is(Value::Kind::string)) continue;
    paths.push_back(absolute(one, source ? source->folder : working_directory()).string());
  }
  return paths;
}

}  // namespace

Overridable overridable(const std::string& path, const std::vector<std::string>& overrides,
                        const Surroundings& surroundings) {
  const auto source = read_source(path, limits_of(path));
  Overridable result;
  result.value = compose(source, surroundings.read).value;
  expand_defaults(result.value, std::filesystem::path(path).stem().string());
  apply_what_can_be(result.value, overrides);
  require_vars(result.value);
  result.plugins = plugins_of(result.value, surroundings);
  return result;
}

std::vector<OverridePath> override_paths(const Value& manifest, const Catalog& catalog) {
  return Walker(catalog).walk(manifest);
}

}  // namespace broch::manifest
