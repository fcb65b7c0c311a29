// options.hpp: the options of an instance, parsed once and read by JSON pointer (RFC 6901).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace broch::abi {

// Getters throw CallError: NOT_FOUND if there is nothing at the pointer, INVALID_ARGUMENT if the
// value is of another kind. The object does not change after construction; strings that it returns
// are valid as long as it.
class Options {
 public:
  // `owner` names the instance in the message of the Error (plugin) that is thrown if text is not a
  // JSON object.
  Options(const std::string& text, const std::string& owner);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  const std::string& text() const { return text_; }
  int32_t kind(std::string_view pointer) const;  // BROCH_CONFIG_…
  bool get_bool(std::string_view pointer) const;
  int64_t get_i64(std::string_view pointer) const;
  double get_f64(std::string_view pointer) const;
  const char* get_string(std::string_view pointer) const;
  uint64_t get_size(std::string_view pointer) const;
  const char* get_key(std::string_view pointer, uint64_t index) const;

 private:
  struct Document;
  const std::string text_;
  std::unique_ptr<const Document> document_;
};

}  // namespace broch::abi
