// defaults.cpp: reads plugins/defaults.json once.
#include "manifest/defaults.hpp"

#include "embedded.hpp"
#include "value/json.hpp"

namespace broch::manifest {

const Value& defaults() {
  static const Value value = parse_text("plugins/defaults.json", kDefaults);
  return value;
}

const std::string& default_id(std::string_view key) { return defaults().find(key)->string(); }

Value default_entry(std::string_view pointer,
                    std::initializer_list<std::pair<const char*, Value>> options) {
  Value entry = *find_at(defaults(), pointer);
  for (const auto& [key, value] : options) entry.find("with")->set(key, value);
  return entry;
}

}  // namespace broch::manifest
