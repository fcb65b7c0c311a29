// options.cpp: finds values by JSON pointer in the options.
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "abi/serve.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "broch/ext/config.h"
#include "value/json.hpp"

namespace broch::abi {
namespace {

using value::Value;

[[noreturn]] void refuse(broch_status status, std::string_view pointer, const std::string& text) {
  throw CallError(status, "option " + base::quoted(pointer) + ": " + text);
}

int32_t kind_of(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null:
      return BROCH_CONFIG_NULL;
    case Value::Kind::boolean:
      return BROCH_CONFIG_BOOL;
    case Value::Kind::integer:
      return BROCH_CONFIG_INTEGER;
    case Value::Kind::real:
      return BROCH_CONFIG_NUMBER;
    case Value::Kind::string:
      return BROCH_CONFIG_STRING;
    case Value::Kind::array:
      return BROCH_CONFIG_ARRAY;
    case Value::Kind::object:
      return BROCH_CONFIG_OBJECT;
  }
  return BROCH_CONFIG_ABSENT;
}

const char* kind_word(const Value& value) {
  static constexpr const char* kWords[] = {"nothing",  "null",     "a boolean", "an integer",
                                           "a number", "a string", "an array",  "an object"};
  return kWords[kind_of(value)];
}

[[noreturn]] void mismatch(std::string_view pointer, const Value& value, const char* expected) {
  refuse(BROCH_E_INVALID_ARGUMENT, pointer,
         std::string("found ") + kind_word(value) + ", expected " + expected);
}

// One token of a pointer, with ~1 and ~0 replaced; nullopt if another character follows '~'.
std::optional<std::string> unescaped(std::string_view token) {
  std::string text;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      text += token[i];
    } else if (++i < token.size() && (token[i] == '0' || token[i] == '1')) {
      text += token[i] == '0' ? '~' : '/';
    } else {
      return std::nullopt;
    }
  }
  return text;
}

// The index that the token gives: digits without a leading zero, below size. Otherwise size.
size_t array_index(const std::string& token, size_t size) {
  if (token.size() > 1 && token[0] == '0') return size;
  size_t index = size;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  return error == std::errc{} && end == token.data() + token.size() ? std::min(index, size) : size;
}

const Value* member(const Value& value, const std::string& token) {
  if (!value.is(Value::Kind::array)) return value.find(token);
  const size_t index = array_index(token, value.array().size());
  return index < value.array().size() ? &value.array()[index] : nullptr;
}

std::string hint(const Value& value, const std::string& token) {
  return "nothing is there" + base::did_you_mean(token, value.keys());
}

// Returns nullptr if the pointer leads nowhere, and sets *problem to what is wrong.
const Value* find(const Value& root, std::string_view pointer, broch_status* status,
                  std::string* problem) {
  const Value* value = &root;
  *status = BROCH_E_INVALID_ARGUMENT;
  if (!pointer.empty() && pointer[0] != '/') {
    *problem = "a pointer is empty or starts with '/'";
    return nullptr;
  }
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    const auto token = unescaped(pointer.substr(0, end));
    pointer.remove_prefix(end);
    if (!token) {
      *problem = "'~' in a pointer is written ~0, '/' in a key ~1";
      return nullptr;
    }
    const Value* next = member(*value, *token);
    if (!next) {
      *status = BROCH_E_NOT_FOUND;
      *problem = hint(*value, *token);
      return nullptr;
    }
    value = next;
  }
  return value;
}

const Value& at(const Value& root, std::string_view pointer) {
  broch_status status = BROCH_OK;
  std::string problem;
  const Value* value = find(root, pointer, &status, &problem);
  if (!value) refuse(status, pointer, problem);
  return *value;
}

}  // namespace

Options::Options(Value tree, const std::string& owner)
    : tree_(tree.is_null() ? Value(Value::Object{}, tree.origin()) : std::move(tree)),
      text_(value::to_text(tree_)) {
  if (!tree_.is(Value::Kind::object))
    throw base::Error(base::Exit::plugin,
                      {owner, "options " + base::quoted(text_), "a JSON object", ""});
}

int32_t Options::kind(std::string_view pointer) const {
  broch_status status = BROCH_OK;
  std::string problem;
  const Value* value = find(tree_, pointer, &status, &problem);
  return value ? kind_of(*value) : BROCH_CONFIG_ABSENT;
}

bool Options::get_bool(std::string_view pointer) const {
  const Value& value = at(tree_, pointer);
  if (!value.is(Value::Kind::boolean)) mismatch(pointer, value, "a boolean");
  return value.boolean();
}

int64_t Options::get_i64(std::string_view pointer) const {
  const Value& value = at(tree_, pointer);
  if (value.is(Value::Kind::integer)) return value.integer();
  if (!value.is_number()) mismatch(pointer, value, "an integer");
  const double number = value.number();
  if (number != std::floor(number) || number < -0x1p63 || number >= 0x1p63)
    refuse(BROCH_E_INVALID_ARGUMENT, pointer,
           "found " + base::shortest(number) + ", expected an integer of 64 bits");
  return static_cast<int64_t>(number);
}

double Options::get_f64(std::string_view pointer) const {
  const Value& value = at(tree_, pointer);
  if (!value.is_number()) mismatch(pointer, value, "a number");
  return value.number();
}

const char* Options::get_string(std::string_view pointer) const {
  const Value& value = at(tree_, pointer);
  if (!value.is(Value::Kind::string)) mismatch(pointer, value, "a string");
  return value.string().c_str();
}

uint64_t Options::get_size(std::string_view pointer) const {
  const Value& value = at(tree_, pointer);
  if (value.is(Value::Kind::array)) return value.array().size();
  if (!value.is(Value::Kind::object)) mismatch(pointer, value, "an array or an object");
  return value.object().size();
}

const char* Options::get_key(std::string_view pointer, uint64_t index) const {
  const Value& value = at(tree_, pointer);
  if (!value.is(Value::Kind::object)) mismatch(pointer, value, "an object");
  const Value::Object& members = value.object();
  if (index >= members.size())
    refuse(BROCH_E_NOT_FOUND, pointer,
           "no member " + std::to_string(index) + ", there are " + std::to_string(members.size()));
  return members[index].key.c_str();
}

}  // namespace broch::abi
