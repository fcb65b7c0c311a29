// elf.hpp: what a shared object says about itself, read without loading it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/bytes.hpp"
#include "plugins/entry.hpp"

namespace broch::plugins {

inline constexpr uint64_t kMaxMetadata = uint64_t{1} << 20;  // bytes, of all texts together
inline constexpr uint64_t kMaxFile = uint64_t{1} << 31;      // bytes

// A version of symbols that a needed library must have.
struct SymbolVersion {
  std::string library;  // "libc.so.6"
  std::string version;  // "GLIBC_2.34"
  bool operator==(const SymbolVersion&) const = default;
};

struct ElfFacts {
  uint16_t machine = 0;               // EM_X86_64 or EM_AARCH64
  std::vector<std::string> metadata;  // texts of section .broch.meta, else meta_json of the entry
  std::optional<EntryFields> entry;   // of broch_entry_v1, where it is exported
  std::string build_id;               // hexadecimal, "" without one
  std::vector<std::string> needed;    // DT_NEEDED, in order
  std::vector<SymbolVersion> versions;
  std::vector<std::string> exports;  // defined dynamic symbols that others can bind to
  std::vector<std::string> unique;   // those of binding STB_GNU_UNIQUE
};

// Reads a 64-bit little-endian ELF shared object; section headers are not needed. No number, offset
// or string of the file is trusted: anything out of place is an Error (plugin) whose place is
// bytes.place().
ElfFacts read_elf(const Bytes& bytes);

}  // namespace broch::plugins
