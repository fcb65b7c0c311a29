// named_bytes.hpp: bytes by name, as the saved state of a callback.
//
// The state is a list of texts: name, bytes, name, bytes ...
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "../options/saved_state.hpp"
#include "../options/text_list.hpp"

namespace broch::callbacks {

inline void add_named(std::string& state, const std::string& name, const std::string& bytes) {
  saved::add_text(state, name);
  saved::add_text(state, bytes);
}

// Throws Error if the state has another layout.
inline std::map<std::string, std::string> named_bytes(std::string_view state) {
  const auto texts = saved::unpack(state);
  if (!texts || texts->size() % 2)
    saved::refuse(saved::quoted(state), "names and bytes, each with its length before it");
  std::map<std::string, std::string> named;
  for (size_t i = 0; i < texts->size(); i += 2) named.emplace((*texts)[i], (*texts)[i + 1]);
  return named;
}

}  // namespace broch::callbacks
