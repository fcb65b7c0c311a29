// selection.hpp: some components of a point, in a given order and under other names.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "component_name.hpp"

namespace broch::points {

#define BROCH_SELECTED_SCHEMA BROCH_COMPONENT_NAME_SCHEMA R"(, "x-broch-point": "selected")"
// The members of the schema of the option that lists them; its field is a JsonText.
#define BROCH_SELECTION_SCHEMA                                                                \
  R"("type": "array", "minItems": 1, "items": {"anyOf": [{)" BROCH_SELECTED_SCHEMA            \
  R"(}, {"type": "object", "properties": {"component": {)" BROCH_SELECTED_SCHEMA              \
  R"(, "description": "The name or index (from 0)."}, "as": {"type": "string", "minLength":)" \
  R"( 1, "description": "Its name from here on."}}, "required": ["component", "as"],)"        \
  R"( "additionalProperties": false}]})"

class Selection {
 public:
  // pointer: that of the option.
  Selection(const Config& config, const std::string& pointer) {
    for (uint64_t i = 0, n = config.size(pointer); i < n; ++i) {
      const std::string at = pointer + "/" + std::to_string(i);
      if (config.kind(at) == BROCH_CONFIG_OBJECT)
        chosen_.push_back({ComponentName(config, at + "/component"), config.string(at + "/as")});
      else
        chosen_.push_back({ComponentName(config, at), ""});
    }
  }

  void apply(const PointReader& from, PointWriter& to) const {
    std::vector<uint32_t> numbers;
    for (const Chosen& one : chosen_) numbers.push_back(one.component.in(from));
    for (size_t i = 0; i < chosen_.size(); ++i) {
      // A component that is moved cannot be read again.
      const bool again = std::count(numbers.begin() + int64_t(i) + 1, numbers.end(), numbers[i]);
      if (!chosen_[i].as.empty())
        to.add(from.view(numbers[i]), chosen_[i].as.c_str());
      else if (again)
        to.add(from.view(numbers[i]), from.name(numbers[i]));
      else
        from.move(numbers[i], to);
    }
  }

 private:
  struct Chosen {
    ComponentName component;
    std::string as;  // "": the same name
  };
  std::vector<Chosen> chosen_;
};

}  // namespace broch::points
