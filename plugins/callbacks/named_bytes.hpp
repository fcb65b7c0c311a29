// named_bytes.hpp: bytes by name, as the saved state of a callback.
//
// Layout of each pair: the length of the name, ' ', that of the bytes, '\n', the name, the bytes.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "../options/saved_state.hpp"

namespace broch::callbacks {

inline void add_named(std::string& state, const std::string& name, const std::string& bytes) {
  state += std::to_string(name.size()) + ' ' + std::to_string(bytes.size()) + '\n' + name + bytes;
}

// Throws Error if the state has another layout.
inline std::map<std::string, std::string> named_bytes(std::string_view state) {
  std::map<std::string, std::string> named;
  while (!state.empty()) {
    const size_t space = state.find(' '), line = state.find('\n');
    const auto name = saved::number_of<size_t>(state.substr(0, space));
    const auto size = space < line && line != state.npos
                          ? saved::number_of<size_t>(state.substr(space + 1, line - space - 1))
                          : std::nullopt;
    if (!name || !size || *name > state.size() || *size > state.size() ||
        *name + *size > state.size() - line - 1)
      saved::refuse(saved::quoted(state), "names and bytes, each with its length before it");
    state.remove_prefix(line + 1);
    named.emplace(state.substr(0, *name), state.substr(*name, *size));
    state.remove_prefix(*name + *size);
  }
  return named;
}

}  // namespace broch::callbacks
