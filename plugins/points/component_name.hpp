// component_name.hpp: an option that names a component of a data point, by number or by name.
#pragma once
#include <broch/broch.hpp>
#include <string>
#include <vector>

namespace broch::points {

// The members of the schema of such an option; its field is a JsonText.
#define BROCH_COMPONENT_NAME_SCHEMA R"("type": ["integer", "string"], "minimum": 0, "minLength": 1)"
// Of one that is changed or looked at apart from all others.
#define BROCH_COMPONENT_APART_SCHEMA BROCH_COMPONENT_NAME_SCHEMA R"(, "x-broch-point": "changed")"

class ComponentName {
 public:
  explicit ComponentName(int64_t index) : index_(index) {}
  // pointer: that of the option.
  ComponentName(const Config& config, const std::string& pointer) : where_(pointer + ": ") {
    if (config.kind(pointer) == BROCH_CONFIG_STRING)
      name_ = config.string(pointer);
    else
      index_ = config.integer(pointer);
  }

  // The number of this component in a point (a Point or a PointReader). Throws Error if the point
  // does not have it.
  template <class AnyPoint>
  uint32_t in(const AnyPoint& point) const {
    const uint32_t n = point.size();
    if (name_.empty()) {
      if (index_ < n) return uint32_t(index_);
      throw Error(BROCH_E_INVALID_ARGUMENT, where_ + "found a point of " + std::to_string(n) +
                                                " components, expected component " + text() +
                                                " in it; correct the number: the first is 0");
    }
    for (uint32_t i = 0; i < n; ++i)
      if (const char* name = point.name(i); name && name == name_) return i;
    throw Error(BROCH_E_INVALID_ARGUMENT, where_ + "found a point with the components " +
                                              names_of(point) + ", expected a component " + text() +
                                              " in it; correct the name");
  }
  std::string text() const { return name_.empty() ? std::to_string(index_) : "'" + name_ + "'"; }

 private:
  template <class AnyPoint>
  static std::string names_of(const AnyPoint& point) {
    std::string names;
    for (uint32_t i = 0, n = point.size(); i < n; ++i) {
      const char* name = point.name(i);
      names += (i ? ", " : "") + (name ? "'" + std::string(name) + "'" : std::to_string(i));
    }
    return names.empty() ? "(none)" : names;
  }

  std::string where_;  // the option, for messages
  std::string name_;   // empty: by number
  int64_t index_ = 0;
};

// Of an option that is null, one of them, or a list of them.
inline std::vector<ComponentName> component_names(const Config& config,
                                                  const std::string& pointer) {
  switch (config.kind(pointer)) {
    case BROCH_CONFIG_INTEGER:
    case BROCH_CONFIG_STRING:
      return {ComponentName(config, pointer)};
    case BROCH_CONFIG_ARRAY:
      break;
    default:
      return {};
  }
  std::vector<ComponentName> names;
  for (uint64_t i = 0, n = config.size(pointer); i < n; ++i)
    names.emplace_back(config, pointer + "/" + std::to_string(i));
  return names;
}

}  // namespace broch::points
