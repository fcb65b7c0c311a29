// json_options.hpp: reads an object of options key by key; a key that nobody read is an error.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace broch::optimizer {

class JsonOptions {
 public:
  // text: a JSON object; empty stands for {}. place: for messages.
  static JsonOptions parse(const std::string& text, const std::string& place);
  JsonOptions(nlohmann::json object, std::string place);

  // Missing and null give nothing.
  std::optional<std::string> text(const char* key);
  std::optional<int64_t> integer(const char* key);
  std::optional<double> number(const char* key);
  std::optional<bool> flag(const char* key);
  std::optional<std::vector<int64_t>> integers(const char* key);
  std::optional<JsonOptions> object(const char* key);
  std::optional<std::vector<nlohmann::json>> list(const char* key);
  std::optional<nlohmann::json> value(const char* key);  // of any kind
  // Last: throws base::Error for a key that was not asked for, with the nearest one that was.
  void done() const;

  [[noreturn]] void refuse(const char* key, const std::string& expected) const;

 private:
  const nlohmann::json* take(const char* key);
  nlohmann::json object_;
  std::string place_;
  std::vector<std::string> known_;
};

// A manifest entry: {"use": …, "with": {…}} or a bare name. use is the full id.
struct JsonEntry {
  std::string use;
  JsonOptions with;
};
JsonEntry parse_entry(const nlohmann::json& entry, const std::string& role,
                      const std::string& place);
JsonEntry parse_entry_text(const std::string& text, const std::string& role,
                           const std::string& place);

}  // namespace broch::optimizer
