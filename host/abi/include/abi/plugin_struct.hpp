// plugin_struct.hpp: structs of a plugin, which may be shorter or longer than the host's
// definition.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>

#include "abi/refuse.hpp"

namespace broch::abi {

inline constexpr uint32_t kLargestStruct = 4096;  // bytes; of any header to come

inline void require_struct_size(uint32_t size, const char* function, const char* name) {
  if (size < sizeof(uint32_t) * 2)
    refuse(BROCH_E_INVALID_ARGUMENT,
           {.where = function,
            .found = std::string(name) + ".struct_size = " + std::to_string(size),
            .expected = "sizeof the struct",
            .hint = "set struct_size before the call"});
}

// Refuses bits that are not in known.
inline void require_flags(uint32_t flags, uint32_t known, const char* function, const char* name) {
  if (flags & ~known)
    refuse(BROCH_E_INVALID_ARGUMENT, {.where = function,
                                      .found = std::string(name) + " = " + std::to_string(flags),
                                      .expected = "no bits but " + std::to_string(known),
                                      .hint = "update Broch, or leave the others out"});
}

// Copies the members that the plugin's struct, of `size` bytes, has; the rest is zero. A plugin
// with a newer header has more members, which must be zero. Throws CallError.
template <class T>
T read_struct(const void* theirs, uint32_t size, const char* function, const char* name) {
  const auto* const bytes = static_cast<const unsigned char*>(theirs);
  const size_t end = std::min(size, kLargestStruct);
  if (std::any_of(bytes + std::min(sizeof(T), end), bytes + end, [](auto byte) { return byte; }))
    refuse(BROCH_E_UNIMPLEMENTED,
           {.where = function,
            .found = std::string("a member of ") + name + " that this host does not know",
            .expected = "zero there",
            .hint = "update Broch, or leave the member out"});
  T ours{};
  std::memcpy(&ours, theirs, std::min(end, sizeof ours));
  return ours;
}

// The same for a struct that begins with struct_size, which is checked.
template <class T>
T read_struct(const T* theirs, const char* function, const char* name) {
  given(theirs, function, name);
  require_struct_size(theirs->struct_size, function, name);
  return read_struct<T>(theirs, theirs->struct_size, function, name);
}

// Writes the members that the plugin's struct has, and leaves its struct_size unchanged. The
// members of a newer header become zero: the plugin need not have set more than the size.
template <class T>
void write_struct(T* theirs, T ours, const char* function, const char* name) {
  given(theirs, function, name);
  const uint32_t size = theirs->struct_size;
  require_struct_size(size, function, name);
  ours.struct_size = size;
  std::memcpy(theirs, &ours, std::min<size_t>(size, sizeof ours));
  const size_t end = std::min(size, kLargestStruct);
  if (end > sizeof ours)
    std::memset(reinterpret_cast<unsigned char*>(theirs) + sizeof ours, 0, end - sizeof ours);
}

}  // namespace broch::abi
