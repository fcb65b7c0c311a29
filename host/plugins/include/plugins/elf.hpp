// elf.hpp: facts about a shared object, read without loading it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/bytes.hpp"
#include "plugins/entry.hpp"

namespace broch::plugins {

inline constexpr uint64_t kMaxMetadata = uint64_t{1} << 20;  // bytes, for all texts together
inline constexpr uint64_t kMaxFile = uint64_t{1} << 31;      // bytes

// A symbol version that the file needs from a library.
struct SymbolVersion {
  std::string library;  // "libc.so.6"
  std::string version;  // "GLIBC_2.34"
  bool operator==(const SymbolVersion&) const = default;
};

struct ElfFacts {
  uint16_t machine = 0;               // EM_X86_64 or EM_AARCH64
  std::vector<std::string> metadata;  // from section .broch.meta, or else meta_json of the entry
  std::optional<EntryFields> entry;   // from broch_entry_v1, if it is exported
  std::string build_id;               // hexadecimal; "" if there is none
  std::vector<std::string> needed;    // DT_NEEDED, in order
  std::vector<SymbolVersion> versions;
  std::vector<std::string> exports;  // defined dynamic symbols that others can bind to
  std::vector<std::string> unique;   // exported symbols with binding STB_GNU_UNIQUE
};

// Reads a 64-bit little-endian ELF shared object, which may lack section headers. No number, offset
// or string in the file is trusted: if anything is malformed, throws Error (plugin) with
// bytes.place() as its location.
ElfFacts read_elf(const Bytes& bytes);

}  // namespace broch::plugins
