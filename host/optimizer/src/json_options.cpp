// json_options.cpp: typed access to small JSON objects.
#include "optimizer/json_options.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace broch::optimizer {

using nlohmann::json;

namespace {

json parse_json(const std::string& text, const std::string& where) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded())
    throw base::Error{base::Exit::training,
                      {where, base::quoted(text), "JSON text", "write it as strict JSON"}};
  return value;
}

}  // namespace

JsonOptions::JsonOptions(json object, std::string where)
    : object_(std::move(object)), where_(std::move(where)) {
  if (!object_.is_object())
    throw base::Error{base::Exit::training, {where_, object_.dump(), "an object of options", ""}};
}

JsonOptions JsonOptions::parse(const std::string& text, const std::string& where) {
  return {text.empty() ? json::object() : parse_json(text, where), where};
}

void JsonOptions::refuse(const char* key, const std::string& expected) const {
  const auto found = object_.find(key);
  throw base::Error{
      base::Exit::training,
      {where_ + ": " + key, found == object_.end() ? "nothing" : found->dump(), expected, ""}};
}

const json* JsonOptions::take(const char* key) {
  known_.emplace_back(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> JsonOptions::text(const char* key) {
  const json* value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) refuse(key, "a text");
  return value->get<std::string>();
}

std::optional<int64_t> JsonOptions::integer(const char* key) {
  const json* value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_number_integer()) refuse(key, "a whole number");
  return value->get<int64_t>();
}

std::optional<double> JsonOptions::number(const char* key) {
  const json* value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) refuse(key, "a number");
  return value->get<double>();
}

std::optional<bool> JsonOptions::flag(const char* key) {
  const json* value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::optional<std::vector<int64_t>> JsonOptions::integers(const char* key) {
  const json* value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_array()) refuse(key, "a list of whole numbers");
  std::vector<int64_t> numbers;
  for (const json& number : *value) {
    if (!number.is_number_integer()) refuse(key, "a list of whole numbers");
    numbers.push_back(number.get<int64_t>());
  }
  return numbers;
}

std::optional<JsonOptions> JsonOptions::object(const char* key) {
  const json* value = take(key);
  if (!value) return std::nullopt;
  return JsonOptions{*value, where_ + ": " + key};
}

std::optional<std::vector<json>> JsonOptions::list(const char* key) {
  const json* value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_array()) refuse(key, "a list");
  return value->get<std::vector<json>>();
}

std::optional<json> JsonOptions::value(const char* key) {
  const json* value = take(key);
  return value ? std::optional<json>(*value) : std::nullopt;
}

void JsonOptions::done() const {
  for (const auto& [key, value] : object_.items()) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    throw base::Error{base::Exit::training,
                      {where_, "the unknown option " + base::quoted(key),
                       base::join(known_, ", ") + base::did_you_mean(key, known_), ""}};
  }
}

JsonEntry parse_entry(const json& entry, const std::string& role, const std::string& where) {
  if (entry.is_string()) return parse_entry(json{{"use", entry}}, role, where);
  JsonOptions options{entry, where};
  std::string use = options.text("use").value_or("");
  if (use.empty()) options.refuse("use", "the id of a component of role " + role);
  if (use.find('.') == std::string::npos) use = "broch." + role + "." + use;
  std::optional<JsonOptions> with = options.object("with");
  options.text("name");
  options.done();
  const std::string inner = where + " (" + use + ")";
  return {use, with ? JsonOptions{std::move(*with)} : JsonOptions{json::object(), inner}};
}

JsonEntry parse_entry_text(const std::string& text, const std::string& role,
                           const std::string& where) {
  return parse_entry(parse_json(text, where), role, where);
}

}  // namespace broch::optimizer
