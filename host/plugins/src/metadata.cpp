// metadata.cpp: from JSON text to components. A first pass checks sizes and keys, before a tree is
// built in memory.
#include "plugins/metadata.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "names.hpp"
#include "plugins/elf.hpp"

namespace broch::plugins {
namespace {

using base::Diagnostic;
using base::Error;
using base::Exit;
using nlohmann::json;

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxNodes = 10000;
constexpr size_t kMaxString = 65536;  // bytes

[[noreturn]] void refuse(const std::string& where, const std::string& pointer,
                         const std::string& found, const std::string& expected,
                         const std::string& hint) {
  throw Error(Exit::plugin,
              Diagnostic{where + ": metadata" + (pointer.empty() ? "" : " " + pointer), found,
                         expected, hint.empty() ? "correct it and rebuild the library" : hint});
}

std::string step(const std::string& pointer, const std::string& key) {
  std::string escaped;
  for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return pointer + "/" + escaped;
}

// The first pass. Throws at the first thing that exceeds a limit or repeats a key.
class Bounds final : public nlohmann::json_sax<json> {
 public:
  explicit Bounds(const std::string& place) : place_(place) {}

  bool null() override { return node(); }
  bool boolean(bool) override { return node(); }
  bool number_integer(number_integer_t) override { return node(); }
  bool number_unsigned(number_unsigned_t) override { return node(); }
  bool number_float(number_float_t, const string_t&) override { return node(); }
  bool string(string_t& text) override { return bounded(text) && node(); }
  bool binary(binary_t&) override { return node(); }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second)
      refuse(place_, "", "key " + base::quoted(name) + " twice in one object", "each key once",
             "remove one of them");
    return bounded(name);
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // The text is "[json.exception.…] parse error at line …, column …: what".
    const std::string what = error.what();
    const size_t start = what.find("] ");
    refuse(place_, "", (start == std::string::npos ? what : what.substr(start + 2)),
           "JSON without comments", "check the text near byte " + std::to_string(position));
  }

 private:
  bool node() {
    if (++nodes_ > kMaxNodes)
      refuse(place_, "", "more than " + std::to_string(kMaxNodes) + " values",
             "at most " + std::to_string(kMaxNodes), "describe fewer components in one library");
    return true;
  }
  bool open() {
    keys_.emplace_back();
    if (keys_.size() > kMaxDepth)
      refuse(place_, "", "more than " + std::to_string(kMaxDepth) + " levels",
             "at most " + std::to_string(kMaxDepth), "nest the option schema less");
    return node();
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  bool bounded(const std::string& text) {
    if (text.size() > kMaxString)
      refuse(place_, "", "a string of " + std::to_string(text.size()) + " bytes",
             "at most " + std::to_string(kMaxString), "shorten it");
    return true;
  }

  const std::string& place_;
  size_t nodes_ = 0;
  std::vector<std::set<std::string>> keys_;  // one set per open object or array
};

json parse_bounded(const std::string& text, const std::string& where) {
  if (text.size() > kMaxMetadata)
    refuse(where, "", std::to_string(text.size()) + " bytes", "at most 1 MiB", "shorten it");
  Bounds bounds(where);
  json::sax_parse(text, &bounds);
  return json::parse(text);
}

// Reads the members of one JSON object by type, and refuses members that were not asked for.
class Members {
 public:
  Members(const json& value, std::string pointer, const std::string& place)
      : value_(value), pointer_(std::move(pointer)), place_(place) {
    if (!value.is_object())
      fail("", std::string("is of type ") + value.type_name(), "an object", "");
  }

  const json* find(const std::string& key) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
    const auto it = value_.find(key);
    return it == value_.end() ? nullptr : &*it;
  }

  std::string text(const std::string& key) {
    const json* value = find(key);
    if (value == nullptr) fail("", "has no " + base::quoted(key), "a string", "add it");
    return as_text(*value, step(pointer_, key));
  }

  std::string text_or(const std::string& key, const std::string& fallback) {
    const json* value = find(key);
    return value == nullptr ? fallback : as_text(*value, step(pointer_, key));
  }

  std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> result;
    const json* value = find(key);
    if (value == nullptr) return result;
    const std::string pointer = step(pointer_, key);
    if (!value->is_array())
      refuse(place_, pointer, std::string("is of type ") + value->type_name(),
             "an array of strings", "");
    for (size_t i = 0; i < value->size(); ++i)
      result.push_back(as_text((*value)[i], step(pointer, std::to_string(i))));
    return result;
  }

  void end() {
    for (const auto& member : value_.items()) {
      const std::string& key = member.key();
      if (key.starts_with("x-")) continue;
      if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
      const std::string near = base::nearest(key, asked_);
      fail("", "unknown key " + base::quoted(key),
           "one of " + base::join(asked_, ", ") + " or a name that begins with x-",
           near.empty() ? "remove it, or update Broch if the library was made for a newer one"
                        : "did you mean " + base::quoted(near) + "?");
    }
  }

  [[noreturn]] void fail(const std::string& key, const std::string& found,
                         const std::string& expected, const std::string& next) const {
    refuse(place_, key.empty() ? pointer_ : step(pointer_, key), found, expected, next);
  }

 private:
  std::string as_text(const json& value, const std::string& pointer) const {
    if (!value.is_string())
      refuse(place_, pointer, std::string("is of type ") + value.type_name(), "a string", "");
    const auto text = value.get<std::string>();
    if (text.find('\0') != std::string::npos)
      refuse(place_, pointer, "a string with a NUL inside", "text", "");
    return text;
  }

  const json& value_;
  std::string pointer_;
  const std::string& place_;
  std::vector<std::string> asked_;
};

using Check = bool (*)(std::string_view);

void require(const Members& members, const std::string& key, const std::string& text, Check check,
             const char* expected) {
  if (!check(text)) members.fail(key, base::quoted(text), expected, "");
}

std::vector<std::string> checked_texts(Members& members, const std::string& key, Check check,
                                       const char* expected) {
  std::vector<std::string> texts = members.texts(key);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!check(texts[i]))
      members.fail(key, "element " + std::to_string(i) + " is " + base::quoted(texts[i]), expected,
                   "");
    if (std::find(texts.begin(), texts.begin() + static_cast<ptrdiff_t>(i), texts[i]) !=
        texts.begin() + static_cast<ptrdiff_t>(i))
      members.fail(key, base::quoted(texts[i]) + " twice", "each name once", "remove one of them");
  }
  return texts;
}

bool is_summary(std::string_view text) {
  return !text.empty() && text.size() <= 256 &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; });
}

// Without a schema, a component accepts no options.
std::string read_options(Members& members) {
  const json* schema = members.find("options");
  if (schema == nullptr || (schema->is_object() && schema->empty()))
    return R"({"additionalProperties":false,"type":"object"})";
  if (!schema->is_object())
    members.fail("options", std::string("is of type ") + schema->type_name(), "a JSON Schema", "");
  const auto type = schema->find("type");
  if (type == schema->end() || *type != "object")
    members.fail(
        "options",
        type == schema->end() ? "a schema without \"type\"" : "a schema of type " + type->dump(),
        "\"type\": \"object\"", "describe the object that stands under \"with\"");
  return schema->dump();
}

std::vector<std::string> read_roles(Members& members, const std::string& role) {
  const char* expected = "a role like \"input_source\"";
  std::vector<std::string> roles = checked_texts(members, "roles", is_role, expected);
  if (roles.empty()) roles.push_back(role);
  if (std::find(roles.begin(), roles.end(), role) == roles.end())
    members.fail("roles", "without the component's own role " + base::quoted(role),
                 "a list that has it", "add it");
  return roles;
}

RunOn read_run_on(Members& members, const std::string& role) {
  const std::string text = members.text_or("run_on", role == "callback" ? "chief" : "all");
  if (text == "chief") return RunOn::chief;
  if (text == "all") return RunOn::all;
  members.fail("run_on", base::quoted(text), "\"chief\" or \"all\"", "");
}

// "tcp://"
bool is_scheme(std::string_view text) {
  constexpr std::string_view kEnd = "://";
  if (!text.ends_with(kEnd)) return false;
  text.remove_suffix(kEnd.size());
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == text.npos;
}

bool is_file_extension(std::string_view text) {
  if (text.size() < 2 || text.size() > 32) return false;
  return is_scheme(text) ||
         (text.front() == '.' && text.find('/') == std::string_view::npos && is_summary(text));
}

bool is_need(std::string_view text) { return text == "model" || text == "input"; }

// A member that only components of one role have.
const json* of_role(Members& members, const Component& component, const char* role,
                    const char* key) {
  const json* value = members.find(key);
  if (value != nullptr && component.role != role)
    members.fail(key, "on a component of role " + base::quoted(component.role),
                 "a component of role " + base::quoted(role), "remove it");
  return value;
}

std::string read_input_source(Members& members, const Component& component, const char* role,
                              const char* key) {
  if (of_role(members, component, role, key) == nullptr) return "";
  std::string id = members.text(key);
  require(members, key, id, is_component_id,
          "the id of an input source like \"org.example.queue\"");
  return id;
}

bool read_flag(Members& members, const Component& component, const char* role, const char* key) {
  const json* flag = of_role(members, component, role, key);
  if (flag == nullptr) return false;
  if (!flag->is_boolean())
    members.fail(key, std::string("is of type ") + flag->type_name(), "true or false", "");
  return flag->get<bool>();
}

// What the host does with the component beyond its role.
void read_host_members(Members& members, Component& component) {
  if (of_role(members, component, "trainer", "needs") != nullptr)
    component.needs = checked_texts(members, "needs", is_need, "\"model\" or \"input\"");
  component.default_input = read_input_source(members, component, "trainer", "default_input");
  component.requires_input = read_input_source(members, component, "trainer", "requires_input");
  component.staged_by = read_input_source(members, component, "input_source", "staged_by");
  component.evaluates = read_flag(members, component, "callback", "evaluates");
  if (of_role(members, component, "callback", "metric_prefix") != nullptr) {
    component.metric_prefix = members.text("metric_prefix");
    require(members, "metric_prefix", component.metric_prefix, is_metric_pattern,
            "the beginning of metric names, with options in braces like \"{prefix?_}\"");
  }
  if (of_role(members, component, "callback", "triggers_at_end") != nullptr)
    component.triggers_at_end = members.text("triggers_at_end");
  component.check_creates = read_flag(members, component, "model", "check_creates");
  if (of_role(members, component, "dataflow", "reorders") != nullptr)
    component.reorders = members.text("reorders");
  if (of_role(members, component, "sink", "extensions") != nullptr)
    component.extensions = checked_texts(members, "extensions", is_file_extension,
                                         "the extension of a file, such as \".npz\", or the "
                                         "beginning of an address, such as \"tcp://\"");
}

Component read_component(Members members) {
  Component component;
  component.id = members.text("id");
  require(members, "id", component.id, is_component_id,
          "a reverse address in small letters like \"org.example.stop-on-plateau\"");
  component.role = members.text("role");
  require(members, "role", component.role, is_role, "a role like \"callback\"");
  component.version = members.text("version");
  require(members, "version", component.version, is_version, "a version like \"1.0.0\"");
  component.summary = members.text("summary");
  require(members, "summary", component.summary, is_summary, "one line of at most 256 bytes");
  component.options = read_options(members);
  component.roles = read_roles(members, component.role);
  const char* metric = "a metric name, with options in braces like \"{name}_error\"";
  component.requires_ext = checked_texts(members, "requires_ext", is_extension_id,
                                         "an extension like \"broch.metrics/1\"");
  component.produces = checked_texts(members, "produces", is_metric_pattern, metric);
  component.lists_produced = members.find("produces") != nullptr;
  component.consumes = checked_texts(members, "consumes", is_metric_pattern, metric);
  component.run_on = read_run_on(members, component.role);
  read_host_members(members, component);
  members.end();
  for (const std::string& role : component.roles)
    if (std::find(known_roles().begin(), known_roles().end(), role) == known_roles().end())
      component.unknown_roles.push_back(role);
  return component;
}

void read_text(const std::string& text, const std::string& where, Metadata& metadata) {
  const json tree = parse_bounded(text, where);
  Members members(tree, "", where);
  const json* components = members.find("components");
  if (components == nullptr) members.fail("", "has no 'components'", "an array", "add it");
  if (!components->is_array() || components->empty())
    members.fail(
        "components",
        components->is_array() ? "is empty" : std::string("is of type ") + components->type_name(),
        "an array of at least one component", "");
  for (size_t i = 0; i < components->size(); ++i)
    metadata.components.push_back(
        read_component(Members((*components)[i], "/components/" + std::to_string(i), where)));
  const std::string torch = members.text_or("torch", "");
  if (!torch.empty()) metadata.torch = torch;
  members.end();
}

}  // namespace

Metadata parse_metadata(const std::vector<std::string>& texts, const std::string& where) {
  if (texts.empty())
    refuse(where, "", "none", "section .broch.meta or meta_json of broch_entry_v1",
           "define the entry with BROCH_PLUGIN of broch/entry.h");
  Metadata metadata;
  for (const std::string& text : texts) read_text(text, where, metadata);
  std::set<std::string> ids;
  for (const Component& component : metadata.components)
    if (!ids.insert(component.id).second)
      refuse(where, "", "component " + base::quoted(component.id) + " twice", "each id once",
             "rename one of them");
  return metadata;
}

}  // namespace broch::plugins
