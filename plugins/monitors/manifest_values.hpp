// manifest_values.hpp: values of the manifest of this run, as it stands in the log folder.
#pragma once
#include <broch/broch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace broch::monitors {

class ManifestValues {
 public:
  using Json = nlohmann::ordered_json;

  // From before_train on, in the process that has the log folder.
  explicit ManifestValues(const LogDir& log_dir)
      : manifest_(Json::parse(log_dir.read_file(kFile).value_or("{}"), nullptr, false, true)) {
    if (!manifest_.is_object())
      throw Error(BROCH_E_DATA_LOSS, std::string(kFile) + " in the log folder is no manifest");
  }

  // The value at a place that is written as in an override: "optimizer.with.learning_rate".
  // pointer: the option that names it, for the message.
  const Json& at(const std::string& place, const std::string& pointer) const {
    const Json* value = &manifest_;
    for (size_t begin = 0; begin <= place.size();) {
      const size_t end = std::min(place.find('.', begin), place.size());
      value = member(*value, place.substr(begin, end - begin));
      if (!value)
        throw Error(BROCH_E_INVALID_ARGUMENT, pointer + ": found '" + place +
                                                  "', expected a place in the manifest, such as "
                                                  "optimizer.with.learning_rate; " +
                                                  kFile + " in the log folder has them all");
      begin = end + 1;
    }
    return *value;
  }
  // All values that are no lists or objects, by their places.
  std::vector<std::pair<std::string, Json>> all() const {
    std::vector<std::pair<std::string, Json>> list;
    add(manifest_, "", list);
    return list;
  }
  // "0.1", "adam", "true"; lists and objects as JSON.
  static std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }

 private:
  static constexpr const char* kFile = "manifest.resolved.json";

  static const Json* member(const Json& of, const std::string& key) {
    if (of.is_object()) {
      const auto found = of.find(key);
      return found == of.end() ? nullptr : &*found;
    }
    const bool is_number =
        !key.empty() && key.size() < 9 && key.find_first_not_of("0123456789") == key.npos;
    if (!of.is_array() || !is_number || std::stoul(key) >= of.size()) return nullptr;
    return &of[std::stoul(key)];
  }
  static void add(const Json& value, const std::string& place,
                  std::vector<std::pair<std::string, Json>>& list) {
    if (!value.is_structured()) {
      list.emplace_back(place, value);
      return;
    }
    const std::string before = place.empty() ? "" : place + ".";
    if (value.is_object())
      for (const auto& [key, inner] : value.items()) add(inner, before + key, list);
    else
      for (size_t i = 0; i < value.size(); ++i) add(value[i], before + std::to_string(i), list);
  }

  Json manifest_;
};

}  // namespace broch::monitors
