// entry.hpp: the numbers of broch_entry_v1 and whether this host can live with them.
#pragma once
#include <cstdint>
#include <string>

namespace broch::plugins {

inline constexpr const char* kEntrySymbol = "broch_entry_v1";

// The scalar members of sdk/include/broch/entry.h, as read from the file or from the loaded struct.
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

// Throws Error (plugin) saying which rebuild is needed. place is the file.
void check_entry(const EntryFields& entry, const std::string& place);

}  // namespace broch::plugins
