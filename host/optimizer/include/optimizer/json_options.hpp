// json_options.hpp: reads a JSON object of options key by key; a key that was not read is an
// error.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace broch::optimizer {

class JsonOptions {
 public:
  // text: a JSON object; "" means {}. where: for messages.
  static JsonOptions parse(const std::string& text, const std::string& where);
  JsonOptions(nlohmann::json object, std::string where);

  // A key that is missing or null gives an empty optional.
  std::optional<std::string> text(const char* key);
  std::optional<int64_t> integer(const char* key);
  std::optional<double> number(const char* key);
  std::optional<bool> flag(const char* key);
  std::optional<std::vector<int64_t>> integers(const char* key);
  std::optional<JsonOptions> object(const char* key);
  std::optional<std::vector<nlohmann::json>> list(const char* key);
  std::optional<nlohmann::json> value(const char* key);  // of any type
  // To be called last: throws base::Error for a key that was not read, and suggests the nearest
  // one.
  void done() const;

  [[noreturn]] void refuse(const char* key, const std::string& expected) const;

 private:
  const nlohmann::json* take(const char* key);
  nlohmann::json object_;
  std::string where_;
  std::vector<std::string> known_;
};

// A manifest entry: {"use": …, "with": {…}} or a bare name. `use` becomes the full id.
struct JsonEntry {
  std::string use;
  JsonOptions with;
};
JsonEntry parse_entry(const nlohmann::json& entry, const std::string& role,
                      const std::string& where);
JsonEntry parse_entry_text(const std::string& text, const std::string& role,
                           const std::string& where);

}  // namespace broch::optimizer
