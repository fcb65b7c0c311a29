// entry.hpp: the numbers in broch_entry_v1, and whether this host is compatible with them.
#pragma once
#include <cstdint>
#include <string>

namespace broch::plugins {

inline constexpr const char* kEntrySymbol = "broch_entry_v1";

// The scalar members of broch_entry in sdk/include/broch/entry.h, read from the file or from
// memory.
struct EntryFields {
  uint32_t magic = 0;
  uint32_t struct_size = 0;
  uint32_t abi_major = 0;
  uint32_t abi_minor = 0;
  uint32_t min_host_minor = 0;
  uint32_t flags = 0;
  uint64_t component_count = 0;

  bool operator==(const EntryFields&) const = default;
};

// The version of the interface that this host has, such as "0.2".
std::string host_interface();

// Throws Error (plugin) if this host cannot use the plugin; the message says what to rebuild.
// where: the file.
void check_entry(const EntryFields& entry, const std::string& where);

}  // namespace broch::plugins
