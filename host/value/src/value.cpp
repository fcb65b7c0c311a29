// value.cpp: values, origins and JSON pointers.
#include "value/value.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

namespace broch::value {
namespace {

std::string unescaped(std::string_view token) {
  std::string key;
  for (size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    key += !escape ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return key;
}

bool equal_members(const Value::Object& a, const Value& b) {
  if (a.size() != b.object().size()) return false;
  return std::all_of(a.begin(), a.end(), [&b](const Member& member) {
    const Value* other = b.find(member.key);
    return other != nullptr && member.value == *other;
  });
}

const Value* step_into(const Value& value, std::string_view token) {
  if (value.is(Value::Kind::object)) return value.find(unescaped(token));
  if (!value.is(Value::Kind::array)) return nullptr;
  size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) return nullptr;
  return index < value.array().size() ? &value.array()[index] : nullptr;
}

}  // namespace

std::string Origin::text() const {
  if (!source) return "made by the program";
  std::string place = source->name;
  for (const int number : {line, column}) {
    if (line > 0) place.append(1, ':').append(std::to_string(number));
  }
  const bool elsewhere = substitution && !substitution->used_at.empty();
  return elsewhere ? place + " (used at " + substitution->used_at + ")" : place;
}

std::string working_directory() {
  std::error_code error;
  const auto path = std::filesystem::current_path(error);
  return error ? "." : path.string();
}

Origin made_by(std::string name) {
  return {std::make_shared<const Source>(Source{std::move(name), working_directory(), ""}), 0, 0};
}

double Value::number() const {
  return is(Kind::integer) ? static_cast<double>(integer()) : std::get<double>(data_);
}

const Value* Value::find(std::string_view key) const {
  if (!is(Kind::object)) return nullptr;
  for (const Member& member : object()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::set(std::string_view key, Value value) {
  if (Value* there = find(key)) return *there = std::move(value);
  const Origin origin = value.origin();
  object().push_back({std::string(key), origin, std::move(value)});
  return object().back().value;
}

bool Value::remove(std::string_view key) {
  return std::erase_if(object(), [key](const Member& member) { return member.key == key; }) > 0;
}

std::vector<std::string> Value::keys() const {
  std::vector<std::string> keys;
  if (is(Kind::object)) {
    for (const Member& member : object()) keys.push_back(member.key);
  }
  return keys;
}

void Value::set_origin_deep(const Origin& origin) {
  origin_ = origin;
  if (is(Kind::array)) {
    for (Value& item : array()) item.set_origin_deep(origin);
  }
  if (is(Kind::object)) {
    for (Member& member : object()) {
      member.origin = origin;
      member.value.set_origin_deep(origin);
    }
  }
}

bool operator==(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is(Value::Kind::integer) && b.is(Value::Kind::integer)) return a.integer() == b.integer();
    return a.number() == b.number();
  }
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Value::Kind::boolean:
      return a.boolean() == b.boolean();
    case Value::Kind::string:
      return a.string() == b.string();
    case Value::Kind::array:
      return a.array() == b.array();
    case Value::Kind::object:
      return equal_members(a.object(), b);
    default:
      return true;
  }
}

void append_to_pointer(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::string child_pointer(std::string pointer, std::string_view key) {
  append_to_pointer(pointer, key);
  return pointer;
}

std::string child_pointer(const std::string& pointer, size_t index) {
  return pointer + "/" + std::to_string(index);
}

const Value* find_at(const Value& root, std::string_view pointer) {
  const Value* value = &root;
  while (value != nullptr && !pointer.empty()) {
    pointer.remove_prefix(1);  // the slash
    const size_t end = std::min(pointer.find('/'), pointer.size());
    value = step_into(*value, pointer.substr(0, end));
    pointer.remove_prefix(end);
  }
  return value;
}

Value* find_at(Value& root, std::string_view pointer) {
  return const_cast<Value*>(find_at(std::as_const(root), pointer));
}

void set_at(Value& root, const std::string& pointer, const Value& value) {
  if (Value* const there = find_at(root, pointer)) {
    *there = value;
    return;
  }
  const size_t last = pointer.rfind('/');
  if (last == std::string::npos) return;
  Value* const parent = find_at(root, pointer.substr(0, last));
  if (!parent || !parent->is(Value::Kind::object)) return;
  std::string key = pointer.substr(last + 1);
  for (const auto& [escape, character] : {std::pair{"~1", "/"}, {"~0", "~"}})
    for (size_t at = 0; (at = key.find(escape, at)) != std::string::npos; ++at)
      key.replace(at, 2, character);
  parent->set(key, value);
}

}  // namespace broch::value
