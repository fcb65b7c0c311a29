// component.cpp: component entries, bare names, references and the abbreviation "when".
#include "manifest/component.hpp"

#include <algorithm>
#include <cctype>

#include "base/noun.hpp"
#include "base/text.hpp"
#include "manifest/defaults.hpp"
#include "manifest/short_name.hpp"
#include "value/json.hpp"
#include "value/schema.hpp"
#include "value/schema_words.hpp"

namespace broch::manifest {
namespace {

constexpr char kEntrySchema[] = R"({
  "type": "object",
  "properties": {
    "use": {"type": "string", "description": "id or built-in name of the component"},
    "ref": {"type": "string", "description": "name of an instance created elsewhere in the manifest"},
    "with": {"type": "object", "additionalProperties": true, "description": "options of the component"},
    "name": {"type": "string", "description": "name of the instance, for references and overrides"},
    "when": {
      "type": "object", "description": "when the callback is triggered, instead of after each epoch",
      "properties": {
        "every_k_steps": {"type": "integer", "minimum": 1, "description": "trigger every k steps"},
        "every_k_epochs": {"type": "integer", "minimum": 1, "description": "trigger every k epochs"},
        "before_train": {"type": "boolean", "description": "trigger once before training"}
      }
    },
    "run_on": {"enum": ["chief", "all"], "description": "ranks that run the callback"}
  }
})";

// The option of the component for "when" that holds the entry around which it stands.
constexpr const char* kTriggered = "callback";

bool is_word(std::string_view text, std::string_view extra) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [extra](unsigned char c) {
    return std::isalnum(c) != 0 || extra.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_id(std::string_view use) {
  return is_word(use, "-_.") && use.front() != '.' && use.back() != '.' &&
         use.find("..") == std::string_view::npos;
}

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Reads one entry and reports its mistakes.
class Reader {
 public:
  Reader(const std::string& role, const std::string& pointer, Faults& faults)
      : role_(role), pointer_(pointer), faults_(faults) {}

  Component read(const Value& entry) {
    Component component;
    component.role = role_;
    component.pointer = pointer_;
    component.entry = entry;
    if (entry.is(Value::Kind::string)) component.entry = from_name(entry);
    Faults found;
    component.entry = check_value(component.entry, entry_schema(), "", pointer_, found).value;
    faults_.add(found);
    if (!found.empty() || !component.entry.is(Value::Kind::object)) return component;
    component.name = text_of(component.entry, "name");
    check_name(component);
    if (component.entry.find("ref") != nullptr) return reference(std::move(component));
    return instance(std::move(component));
  }

 private:
  static Value from_name(const Value& name) {
    Value entry(Value::Object{}, name.origin());
    entry.set("use", name);
    return entry;
  }

  static std::string text_of(const Value& entry, std::string_view key) {
    const Value* text = entry.find(key);
    return text == nullptr ? "" : text->string();
  }

  void report(const Value& value, const char* key, const Remark& remark) {
    faults_.add(value.origin(), key == nullptr ? pointer_ : child_pointer(pointer_, key), remark);
  }

  void check_name(const Component& component) {
    const Value* name = component.entry.find("name");
    if (name == nullptr || (is_word(name->string(), "-_.") && !is_number(name->string()))) return;
    report(*name, "name",
           {base::quoted(name->string()), "letters, digits, '-', '_' and '.'",
            "choose a name that is no number: numbers are places in a list"});
  }

  Component reference(Component component) {
    component.ref = text_of(component.entry, "ref");
    for (const Member& member : component.entry.object()) {
      if (member.key == "ref" || member.key.starts_with("x-")) continue;
      report(member.value, member.key.c_str(),
             {base::quoted(member.key) + " beside \"ref\"", "\"ref\" alone",
              "write these keys where the instance is made, or remove \"ref\""});
    }
    return component;
  }

  Component instance(Component component) {
    const Value* use = component.entry.find("use");
    if (use == nullptr) {
      report(component.entry, nullptr,
             {"an entry without \"use\"", "\"use\": id of a component of role " + role_,
              "name the component, or refer to an instance with \"ref\""});
      return component;
    }
    if (!is_id(use->string())) {
      report(*use, "use",
             {base::quoted(use->string()), "an id such as org.example.name",
              "ids are words of letters, digits, '-' and '_' joined by dots"});
      return component;
    }
    component.use = full_id(use->string(), role_);
    component.run_on = text_of(component.entry, "run_on");
    if (!component.run_on.empty() && role_ != "callback") {
      report(
          *component.entry.find("run_on"), "run_on",
          {"\"run_on\" on a component of role " + role_, "\"run_on\" on a callback", "remove it"});
    }
    component.entry.set("use", Value(component.use, use->origin()));
    if (component.entry.find("with") == nullptr) {
      component.entry.set("with", Value(Value::Object{}, component.entry.origin()));
    }
    return component.entry.find("when") == nullptr ? component : wrapped(std::move(component));
  }

  // Makes the callback around an entry with "when". The inner instance keeps the name, because
  // references mean that one. Both run on the same ranks.
  Component wrapped(Component inner) {
    const Value when = *inner.entry.find("when");
    const bool periodic = when.find("every_k_steps") || when.find("every_k_epochs") ||
                          is_true(when.find("before_train"));
    if (role_ != "callback") {
      report(when, "when",
             {"\"when\" on a component of role " + role_, "\"when\" on a callback", "remove it"});
    } else if (!periodic) {
      report(when, "when",
             {"a \"when\" that never comes", "every_k_steps, every_k_epochs or before_train true",
              "say when, or remove \"when\""});
    }
    inner.entry.remove("when");
    Value with(Value::Object{}, when.origin());
    with.set(kTriggered, inner.entry);
    for (const Member& member : when.object()) with.object().push_back(member);
    Component outer = inner;
    outer.use = default_id("when");
    outer.name.clear();
    outer.entry = Value(Value::Object{}, inner.entry.origin());
    Origin use = when.origin();
    use.wraps = kTriggered;
    outer.entry.set("use", Value(outer.use, std::move(use)));
    outer.entry.set("with", std::move(with));
    if (!outer.run_on.empty()) outer.entry.set("run_on", *inner.entry.find("run_on"));
    return outer;
  }

  const std::string& role_;
  const std::string& pointer_;
  Faults& faults_;
};

bool plays(const Catalog::Kind& kind, const std::string& role) {
  return std::find(kind.roles.begin(), kind.roles.end(), role) != kind.roles.end();
}

std::vector<std::string> ids_of_role(const Catalog& catalog, const std::string& role) {
  std::vector<std::string> ids;
  for (const std::string& id : catalog.ids()) {
    const Catalog::Kind* kind = find_valid(catalog, id);
    if (kind != nullptr && plays(*kind, role)) ids.push_back(id);
  }
  return ids;
}

// The last word of an id in small letters, of which all valid ids consist: other programs write
// "SGD" and "AdamW".
std::string small_word(const std::string& use) {
  std::string word(last_word(use));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

// Compares short names with short names, so that "averge" finds "org.example.average". The ids of
// two built-in components are alike however different their short names are.
std::string near_id(const Component& component, const std::vector<std::string>& ids) {
  const std::string own = small_word(component.use);
  std::vector<std::string> words;
  for (const std::string& id : ids) words.emplace_back(last_word(id));
  const auto same = std::find(words.begin(), words.end(), own);
  if (same != words.end()) return ids[static_cast<size_t>(same - words.begin())];
  const bool is_bare = component.use == full_id(last_word(component.use), component.role);
  const std::string near = is_bare ? "" : base::nearest(component.use, ids);
  if (!near.empty()) return near;
  const std::string word = base::nearest(own, words);
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? "" : ids[static_cast<size_t>(found - words.begin())];
}

// "adam is an optimizer, not a dataflow" if that is the mistake, else "".
std::string in_other_role(const Component& component, const Catalog& catalog) {
  const std::string& role = component.role;
  const std::string word(last_word(component.use));
  const bool is_bare = component.use == full_id(word, role);
  for (const std::string& id : catalog.ids()) {
    if (id != component.use && (!is_bare || last_word(id) != word)) continue;
    const Catalog::Kind* kind = find_valid(catalog, id);
    if (kind == nullptr || plays(*kind, role)) continue;
    std::vector<std::string> roles;
    for (const std::string& one : kind->roles) roles.push_back(base::with_article(one));
    return (is_bare ? word : id) + " is " + base::join(roles, " and ") + ", not " +
           base::with_article(role);
  }
  return "";
}

const Catalog::Kind* look_up(const Component& component, const Catalog& catalog, Faults& faults) {
  const Catalog::Kind* kind = catalog.find(component.use);
  if (kind != nullptr && plays(*kind, component.role)) return kind;
  const std::vector<std::string> ids = ids_of_role(catalog, component.role);
  const std::string known =
      ids.empty() ? "a component of role " + component.role + " (none is installed)" : one_of(ids);
  const std::string near = near_id(component, ids);
  const std::string other =
      last_word(near) == last_word(component.use) ? "" : in_other_role(component, catalog);
  faults.add(component.entry.find("use")->origin(), child_pointer(component.pointer, "use"),
             {kind ? base::quoted(component.use) + " of role " + base::join(kind->roles, ", ")
                   : "no plugin offers " + base::quoted(component.use),
              known,
              !other.empty()  ? other
              : !near.empty() ? "did you mean '" + near + "'?"
                              : "name the library that offers it under \"plugins\""},
             kind == nullptr && other.empty() ? base::Exit::plugin : base::Exit::manifest);
  return nullptr;
}

void seed_alike(Component& component) {
  component.same_seed = true;
  for (Component& child : component.children) seed_alike(child);
}

void resolve_options(Component& component, const Catalog::Kind& kind, const Catalog& catalog,
                     Faults& faults) {
  const std::string pointer = option_pointer(component, "");
  Value schema = kind.options;
  if (schema.find("type") == nullptr) schema.set("type", Value("object"));  // {} means no options
  Checked checked = check_value(component.with(), schema, component.use, pointer, faults);
  for (const ChildSlot& slot : checked.children) {
    Value& place = *find_at(checked.value, slot.pointer);
    Component child = resolve_component(place, slot.role, catalog,
                                        option_pointer(component, slot.pointer), faults);
    child.slot = slot.pointer;
    if (slot.same_seed) seed_alike(child);
    place = child.entry;
    component.children.push_back(std::move(child));
  }
  component.entry.set("with", std::move(checked.value));
}

}  // namespace

const Catalog::Kind* find_valid(const Catalog& catalog, const std::string& id) {
  try {
    return catalog.find(id);
  } catch (const base::Error&) {
    return nullptr;
  }
}

const Value& entry_schema() {
  static const Value schema = parse_text("schema of a component entry", kEntrySchema);
  return schema;
}

const Value& Component::with() const {
  static const Value nothing{Value::Object{}};
  const Value* options = entry.find("with");
  return options == nullptr ? nothing : *options;
}

const char* wrapped_option(const Component& component) {
  const Value* use = component.entry.find("use");
  return use == nullptr ? nullptr : use->origin().wraps;
}

const Component* triggered_by_when(const Component& component) {
  if (component.use != default_id("when") || !component.name.empty()) return nullptr;
  for (const Component& child : component.children)
    if (child.slot == std::string("/") + kTriggered && !child.is_reference()) return &child;
  return nullptr;
}

std::string option_pointer(const Component& component, const std::string& pointer) {
  const char* const wrapped = wrapped_option(component);
  if (wrapped == nullptr) return component.pointer + "/with" + pointer;
  const std::string inner = std::string("/") + wrapped;
  if (pointer == inner || pointer.starts_with(inner + "/"))
    return component.pointer + pointer.substr(inner.size());
  return component.pointer + (component.use == default_id("when") ? "/when" : "/with") + pointer;
}

std::string full_id(std::string_view use, std::string_view role) {
  if (use.find('.') != std::string_view::npos) return std::string(use);
  return "broch." + std::string(role) + "." + std::string(use);
}

std::string_view last_word(std::string_view id) {
  return id.substr(id.rfind('.') + 1);  // npos + 1 is 0
}

std::string short_name(const std::string& id, const std::string& role) {
  const std::string word(last_word(id));
  return full_id(word, role) == id ? word : id;
}

Component read_component(const Value& entry, const std::string& role, const std::string& pointer,
                         Faults& faults) {
  return Reader(role, pointer, faults).read(entry);
}

Component resolve_component(const Value& entry, const std::string& role, const Catalog& catalog,
                            const std::string& pointer, Faults& faults) {
  Component component = read_component(entry, role, pointer, faults);
  if (component.use.empty()) return component;
  if (const Catalog::Kind* kind = look_up(component, catalog, faults)) {
    resolve_options(component, *kind, catalog, faults);
  }
  return component;
}

Component resolve_component(const Value& entry, const std::string& role, const Catalog& catalog,
                            const std::string& pointer) {
  Faults faults;
  Component component = resolve_component(entry, role, catalog, pointer, faults);
  faults.raise();
  return component;
}

}  // namespace broch::manifest
