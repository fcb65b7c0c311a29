// latest_values.hpp: the latest value of each metric as the saved state of a monitor, so that a
// resumed run also knows those that are reported now and then.
//
// The state is a list of texts: name, value, name, value ...
#pragma once
#include <broch/broch.hpp>
#include <cstdlib>
#include <map>
#include <string>

#include "../options/saved_state.hpp"
#include "../options/text_list.hpp"

namespace broch::monitors {

using LatestValues = std::map<std::string, double>;

inline std::string saved_values(const LatestValues& latest) {
  std::string state;
  for (const auto& [name, value] : latest) {
    saved::add_text(state, name);
    saved::add_text(state, number_text(value));
  }
  return state;
}

// Throws Error if the state has another layout.
inline LatestValues read_values(const std::string& state) {
  const auto texts = saved::unpack(state);
  if (!texts || texts->size() % 2)
    saved::refuse(saved::quoted(state), "names and values, each with its length before it");
  LatestValues latest;
  for (size_t i = 0; i < texts->size(); i += 2)
    latest[(*texts)[i]] = std::strtod((*texts)[i + 1].c_str(), nullptr);
  return latest;
}

}  // namespace broch::monitors
