// options.cpp: finds values by JSON pointer in the parsed options.
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "abi/serve.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "broch/ext/config.h"

namespace broch::abi {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(broch_status status, std::string_view pointer, const std::string& text) {
  throw CallError(status, "option " + base::quoted(pointer) + ": " + text);
}

int32_t kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return BROCH_CONFIG_NULL;
    case Json::value_t::boolean:
      return BROCH_CONFIG_BOOL;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return BROCH_CONFIG_INTEGER;
    case Json::value_t::number_float:
      return BROCH_CONFIG_NUMBER;
    case Json::value_t::string:
      return BROCH_CONFIG_STRING;
    case Json::value_t::array:
      return BROCH_CONFIG_ARRAY;
    case Json::value_t::object:
      return BROCH_CONFIG_OBJECT;
    default:
      return BROCH_CONFIG_ABSENT;
  }
}

const char* kind_word(const Json& value) {
  static constexpr const char* kWords[] = {"nothing",  "null",     "a boolean", "an integer",
                                           "a number", "a string", "an array",  "an object"};
  return kWords[kind_of(value)];
}

[[noreturn]] void mismatch(std::string_view pointer, const Json& value, const char* expected) {
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

const Json* member(const Json& value, const std::string& token) {
  if (value.is_object()) {
    const auto found = value.find(token);
    return found == value.end() ? nullptr : &*found;
  }
  if (!value.is_array()) return nullptr;
  const size_t index = array_index(token, value.size());
  return index < value.size() ? &value[index] : nullptr;
}

std::string hint(const Json& value, const std::string& token) {
  std::vector<std::string> keys;
  if (value.is_object())
    for (const auto& [key, unused] : value.items()) keys.push_back(key);
  return "nothing is there" + base::did_you_mean(token, keys);
}

}  // namespace

struct Options::Document {
  Json root;

  // Returns nullptr if the pointer leads nowhere, and sets *problem to what is wrong.
  const Json* find(std::string_view pointer, broch_status* status, std::string* problem) const {
    const Json* value = &root;
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
      const Json* next = member(*value, *token);
      if (!next) {
        *status = BROCH_E_NOT_FOUND;
        *problem = hint(*value, *token);
        return nullptr;
      }
      value = next;
    }
    return value;
  }

  const Json& at(std::string_view pointer) const {
    broch_status status = BROCH_OK;
    std::string problem;
    const Json* value = find(pointer, &status, &problem);
    if (!value) refuse(status, pointer, problem);
    return *value;
  }
};

Options::Options(const std::string& text, const std::string& owner) : text_(text) {
  auto document = std::make_unique<Document>();
  document->root = Json::parse(text.empty() ? "{}" : text, nullptr, false);
  if (!document->root.is_object())
    throw base::Error(base::Exit::plugin, base::Diagnostic{owner, "options " + base::quoted(text),
                                                           "a JSON object", ""});
  document_ = std::move(document);
}

Options::~Options() = default;

int32_t Options::kind(std::string_view pointer) const {
  broch_status status = BROCH_OK;
  std::string problem;
  const Json* value = document_->find(pointer, &status, &problem);
  return value ? kind_of(*value) : BROCH_CONFIG_ABSENT;
}

bool Options::get_bool(std::string_view pointer) const {
  const Json& value = document_->at(pointer);
  if (!value.is_boolean()) mismatch(pointer, value, "a boolean");
  return value.get<bool>();
}

int64_t Options::get_i64(std::string_view pointer) const {
  const Json& value = document_->at(pointer);
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX})
    refuse(BROCH_E_INVALID_ARGUMENT, pointer,
           "found " + value.dump() + ", expected an integer below 2^63");
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) mismatch(pointer, value, "an integer");
  const double number = value.get<double>();
  if (number != std::floor(number) || number < -0x1p63 || number >= 0x1p63)
    refuse(BROCH_E_INVALID_ARGUMENT, pointer,
           "found " + base::shortest(number) + ", expected an integer of 64 bits");
  return static_cast<int64_t>(number);
}

double Options::get_f64(std::string_view pointer) const {
  const Json& value = document_->at(pointer);
  if (!value.is_number()) mismatch(pointer, value, "a number");
  return value.get<double>();
}

const char* Options::get_string(std::string_view pointer) const {
  const Json& value = document_->at(pointer);
  if (!value.is_string()) mismatch(pointer, value, "a string");
  return value.get_ref<const std::string&>().c_str();
}

uint64_t Options::get_size(std::string_view pointer) const {
  const Json& value = document_->at(pointer);
  if (!value.is_structured()) mismatch(pointer, value, "an array or an object");
  return value.size();
}

const char* Options::get_key(std::string_view pointer, uint64_t index) const {
  const Json& value = document_->at(pointer);
  if (!value.is_object()) mismatch(pointer, value, "an object");
  if (index >= value.size())
    refuse(BROCH_E_NOT_FOUND, pointer,
           "no member " + std::to_string(index) + ", there are " + std::to_string(value.size()));
  return std::next(value.begin(), static_cast<std::ptrdiff_t>(index)).key().c_str();
}

}  // namespace broch::abi
