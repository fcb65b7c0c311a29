// config.hpp: reads the options of an instance by JSON pointer, such as "/layers/0". The getters
// throw Error if the option is absent or of another type. The host has checked the options against
// the schema, so this cannot happen for options that the schema requires or gives a default.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// text as a JSON string, with quotes.
inline std::string json_text(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (static_cast<unsigned char>(c) < ' ')
      quoted += std::string("\\u00") + kHex[c >> 4] + kHex[c & 15];
    else
      quoted += c;
  }
  return quoted + '"';
}

// Digits that read back as exactly the same number.
inline std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

class Config {
 public:
  explicit Config(const Host& host)
      : host_(host), table_(host.require<broch_host_config>(BROCH_EXT_CONFIG)) {}
  const Host& host() const { return host_; }

  // All options as JSON text.
  std::string text() const { return table_->text(host_.c()); }
  // False if the option is null or absent.
  bool has(const std::string& pointer) const {
    return table_->kind(host_.c(), pointer.c_str()) > BROCH_CONFIG_NULL;
  }
  // BROCH_CONFIG_… of ext/config.h.
  int32_t kind(const std::string& pointer) const {
    return table_->kind(host_.c(), pointer.c_str());
  }
  bool boolean(const std::string& pointer) const {
    int32_t value = 0;
    host_.check(table_->get_bool(host_.c(), pointer.c_str(), &value));
    return value != 0;
  }
  int64_t integer(const std::string& pointer) const {
    int64_t value = 0;
    host_.check(table_->get_i64(host_.c(), pointer.c_str(), &value));
    return value;
  }
  double number(const std::string& pointer) const {
    double value = 0;
    host_.check(table_->get_f64(host_.c(), pointer.c_str(), &value));
    return value;
  }
  std::string string(const std::string& pointer) const {
    const char* value = "";
    host_.check(table_->get_string(host_.c(), pointer.c_str(), &value));
    return value;
  }
  // The number of elements of an array or of members of an object.
  uint64_t size(const std::string& pointer) const {
    uint64_t value = 0;
    host_.check(table_->get_size(host_.c(), pointer.c_str(), &value));
    return value;
  }
  // The keys of an object, in the order in which they are written.
  std::vector<std::string> keys(const std::string& pointer) const {
    std::vector<std::string> list;
    for (uint64_t i = 0, n = size(pointer); i < n; ++i) {
      const char* key = "";
      host_.check(table_->get_key(host_.c(), pointer.c_str(), i, &key));
      list.emplace_back(key);
    }
    return list;
  }
  // A list of strings. A single string counts as a list of one.
  std::vector<std::string> strings(const std::string& pointer) const {
    if (kind(pointer) == BROCH_CONFIG_STRING) return {string(pointer)};
    std::vector<std::string> list;
    for (uint64_t i = 0, n = size(pointer); i < n; ++i)
      list.push_back(string(pointer + "/" + std::to_string(i)));
    return list;
  }
  std::vector<int64_t> integers(const std::string& pointer) const {
    std::vector<int64_t> list;
    for (uint64_t i = 0, n = size(pointer); i < n; ++i)
      list.push_back(integer(pointer + "/" + std::to_string(i)));
    return list;
  }
  // The option as JSON text; "null" if it is absent.
  std::string json(const std::string& pointer) const {
    switch (kind(pointer)) {
      case BROCH_CONFIG_BOOL:
        return boolean(pointer) ? "true" : "false";
      case BROCH_CONFIG_INTEGER:
        return std::to_string(integer(pointer));
      case BROCH_CONFIG_NUMBER:
        return number_text(number(pointer));
      case BROCH_CONFIG_STRING:
        return json_text(string(pointer));
      case BROCH_CONFIG_ARRAY:
      case BROCH_CONFIG_OBJECT:
        return members(pointer, kind(pointer) == BROCH_CONFIG_OBJECT);
      default:
        return "null";
    }
  }

 private:
  std::string members(const std::string& pointer, bool object) const {
    std::string text;
    for (uint64_t i = 0, n = size(pointer); i < n; ++i) {
      if (i > 0) text += ',';
      std::string key = std::to_string(i);
      if (object) {
        const char* name = "";
        host_.check(table_->get_key(host_.c(), pointer.c_str(), i, &name));
        text += json_text(key = name) + ':';
      }
      text += json(pointer + '/' + escaped(key));
    }
    return object ? '{' + text + '}' : '[' + text + ']';
  }
  // A key as part of a JSON pointer (RFC 6901).
  static std::string escaped(const std::string& key) {
    std::string text;
    for (const char c : key) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return text;
  }

  Host host_;
  const broch_host_config* table_;
};

}  // namespace v0
}  // namespace broch
