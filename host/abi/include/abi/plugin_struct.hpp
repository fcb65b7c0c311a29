// plugin_struct.hpp: structs of a plugin, which may be shorter or longer than the host's
// definition.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>

#include "abi/refuse.hpp"

namespace broch::abi {

// Copies the members that the plugin's struct has; the rest is zero. Throws CallError.
template <class T>
T read_struct(const T* theirs, const char* function, const char* name) {
  given(theirs, function, name);
  if (theirs->struct_size < sizeof(uint32_t) * 2)
    refuse(BROCH_E_INVALID_ARGUMENT,
           {.where = function,
            .found = std::string(name) + ".struct_size = " + std::to_string(theirs->struct_size),
            .expected = "sizeof the struct",
            .hint = "set struct_size before the call"});
  T ours{};
  std::memcpy(&ours, theirs, std::min<size_t>(theirs->struct_size, sizeof ours));
  return ours;
}

// Writes the members that the plugin's struct has, and leaves its struct_size unchanged.
template <class T>
void write_struct(T* theirs, T ours, const char* function, const char* name) {
  ours.struct_size = read_struct(theirs, function, name).struct_size;
  std::memcpy(theirs, &ours, std::min<size_t>(ours.struct_size, sizeof ours));
}

}  // namespace broch::abi
