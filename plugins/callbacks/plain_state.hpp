// plain_state.hpp: a struct of numbers without gaps as the saved state of a callback.
#pragma once
#include <broch/broch.hpp>
#include <cstring>
#include <type_traits>

#include "../options/saved_state.hpp"

namespace broch::callbacks {

template <class State>
std::string plain_bytes(const State& state) {
  static_assert(std::is_trivially_copyable_v<State>);
  return std::string(reinterpret_cast<const char*>(&state), sizeof state);
}

// Throws Error if the number of bytes is another one.
template <class State>
void read_plain(const std::string& bytes, State& state) {
  if (bytes.size() != sizeof state)
    saved::refuse(std::to_string(bytes.size()) + " bytes", std::to_string(sizeof state));
  std::memcpy(&state, bytes.data(), sizeof state);
}

}  // namespace broch::callbacks
