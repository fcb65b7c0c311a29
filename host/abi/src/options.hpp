// options.hpp: the options of an instance, which it reads by JSON pointer (RFC 6901).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "value/value.hpp"

namespace broch::abi {

// Getters throw CallError: NOT_FOUND if there is nothing at the pointer, INVALID_ARGUMENT if the
// value is of another kind. The object does not change after construction; strings that it returns
// are valid as long as it.
class Options {
 public:
  // tree: an object, or null for one without members. `owner` names the instance in the message of
  // the Error (plugin) that is thrown for any other value.
  Options(value::Value tree, const std::string& owner);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  const value::Value& tree() const { return tree_; }
  const std::string& text() const { return text_; }
  int32_t kind(std::string_view pointer) const;  // BROCH_CONFIG_…
  bool get_bool(std::string_view pointer) const;
  int64_t get_i64(std::string_view pointer) const;
  double get_f64(std::string_view pointer) const;
  const char* get_string(std::string_view pointer) const;
  uint64_t get_size(std::string_view pointer) const;
  const char* get_key(std::string_view pointer, uint64_t index) const;

 private:
  const value::Value tree_;
  const std::string text_;  // the same, strict and without spaces
};

}  // namespace broch::abi
