// options.cpp: typed access to the members of an object.
#include "options.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "value/concealed.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::optimizer {

using value::Value;
using Kind = Value::Kind;

namespace {

std::string shown(const Value& value) { return value::to_text(value::as_manifest(value)); }

[[noreturn]] void refuse_at(const value::Origin& origin, const std::string& pointer,
                            const value::Remark& remark) {
  throw value::fault_at(origin, pointer, remark, base::Exit::training);
}

}  // namespace

Options::Options(Entry object) : object_(std::move(object)) {
  const auto& [value, pointer] = object_;
  if (!value.is(Kind::object))
    refuse_at(value.origin(), pointer, {shown(value), "an object of options", "write an object"});
}

std::string Options::place(const char* key) const {
  const Value* const found = object_.value.find(key);
  return (found ? *found : object_.value).origin().text() + ": " +
         value::child_pointer(object_.pointer, key);
}

void Options::refuse(const char* key, const std::string& expected) const {
  const Value* const found = object_.value.find(key);
  refuse_at((found ? *found : object_.value).origin(), value::child_pointer(object_.pointer, key),
            {found ? shown(*found) : "nothing", expected, "change the value"});
}

const Value* Options::take(const char* key) {
  known_.emplace_back(key);
  const Value* const found = object_.value.find(key);
  return found && !found->is_null() ? found : nullptr;
}

std::optional<std::string> Options::text(const char* key) {
  const Value* const value = take(key);
  if (!value) return std::nullopt;
  if (!value->is(Kind::string)) refuse(key, "a text");
  return value->string();
}

std::optional<int64_t> Options::integer(const char* key) {
  const Value* const value = take(key);
  if (!value) return std::nullopt;
  if (!value->is(Kind::integer)) refuse(key, "a whole number");
  return value->integer();
}

std::optional<double> Options::number(const char* key) {
  const Value* const value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) refuse(key, "a number");
  return value->number();
}

std::optional<bool> Options::flag(const char* key) {
  const Value* const value = take(key);
  if (!value) return std::nullopt;
  if (!value->is(Kind::boolean)) refuse(key, "true or false");
  return value->boolean();
}

std::optional<Entry> Options::entry(const char* key) {
  const Value* const value = take(key);
  if (!value) return std::nullopt;
  return Entry{*value, value::child_pointer(object_.pointer, key)};
}

std::vector<Entry> Options::list(const char* key) {
  const Value* const value = take(key);
  if (!value) return {};
  if (!value->is(Kind::array)) refuse(key, "a list");
  const std::string pointer = value::child_pointer(object_.pointer, key);
  std::vector<Entry> items;
  for (const Value& item : value->array())
    items.push_back({item, value::child_pointer(pointer, items.size())});
  return items;
}

NameFilter Options::filter(const char* key) { return {text(key).value_or(".*"), place(key)}; }

void Options::done() const {
  for (const value::Member& member : object_.value.object()) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    refuse_at(member.origin, object_.pointer,
              {"the unknown option " + base::quoted(member.key),
               base::join(known_, ", ") + base::did_you_mean(member.key, known_), "remove it"});
  }
}

Component read_entry(const Entry& entry, const std::string& role) {
  const auto object = [&] { return Value(Value::Object{}, entry.value.origin()); };
  if (entry.value.is(Kind::string)) {
    Value named = object();
    named.set("use", entry.value);
    return read_entry({std::move(named), entry.pointer}, role);
  }
  Options options(entry);
  std::string use = options.text("use").value_or("");
  if (use.empty()) options.refuse("use", "the id of a component of role " + role);
  if (use.find('.') == std::string::npos) use = "broch." + role + "." + use;
  std::optional<Entry> with = options.entry("with");
  options.text("name");
  options.done();
  if (!with) with = Entry{object(), value::child_pointer(entry.pointer, "with")};
  return {use, Options(std::move(*with))};
}

}  // namespace broch::optimizer
