// description.hpp: what MLflow knows of a run besides its metrics.
#pragma once
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>

#include "manifest_values.hpp"
#include "mlflow/store.hpp"

namespace broch::mlflow {

constexpr size_t kLongestKey = 250, kLongestValue = 6000;  // bytes, of MLflow

// MLflow takes letters, digits and these; and no path that leads elsewhere.
inline std::string clean_key(const std::string& name) {
  std::string key;
  for (const char c : name.substr(0, kLongestKey)) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-. /", c);
    const bool doubled = c == '/' && (key.empty() || key.back() == '/');
    if (!doubled) key += fits ? c : '_';
  }
  while (!key.empty() && key.back() == '/') key.pop_back();
  for (size_t at = 0; at < key.size();) {
    const size_t end = std::min(key.find('/', at), key.size());
    const std::string part = key.substr(at, end - at);
    if (part == "." || part == "..") key.replace(at, part.size(), part.size(), '_');
    at = end + 1;
  }
  return key.empty() ? "_" : key;
}

inline std::string user_name() {
  const passwd* const user = getpwuid(getuid());
  return user ? user->pw_name : std::to_string(getuid());
}

// Parameters: the values at these places of the manifest; no list: all values.
inline Pairs params_of(const LogDir& log_dir,
                       const std::optional<std::vector<std::string>>& places) {
  using monitors::ManifestValues;
  const ManifestValues manifest(log_dir);
  Pairs pairs;
  const auto add = [&](const std::string& place, const ManifestValues::Json& value) {
    pairs.emplace_back(clean_key(place), ManifestValues::text_of(value).substr(0, kLongestValue));
  };
  if (places)
    for (size_t i = 0; i < places->size(); ++i)
      add((*places)[i], manifest.at((*places)[i], "/params/" + std::to_string(i)));
  else
    for (const auto& [place, value] : manifest.all()) add(place, value);
  return pairs;
}

}  // namespace broch::mlflow
