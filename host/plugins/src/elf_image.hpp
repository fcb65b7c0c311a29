// elf_image.hpp: the headers of an ELF file, and the mapping from addresses to file offsets.
#pragma once
#include <elf.h>

#include <optional>
#include <string>
#include <vector>

#include "plugins/bytes.hpp"

namespace broch::plugins {

// A range of bytes in the file.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

class ElfImage {
 public:
  // bytes must outlive this object.
  explicit ElfImage(const Bytes& bytes);

  uint16_t machine() const { return header_.e_machine; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  // Empty if the file has no section headers.
  std::vector<Elf64_Shdr> sections() const;
  std::string section_names(const std::vector<Elf64_Shdr>& sections) const;

  // The range of the file from this address to the end of its segment.
  std::optional<Extent> extent(uint64_t address) const;
  // The file offset of a range of memory. what: what the range holds, for messages.
  uint64_t offset_of(uint64_t address, uint64_t size, const std::string& what) const;

  // Copies count elements. Refuses tables that reach beyond the file or are larger than 64 MiB.
  template <class T>
  std::vector<T> table(uint64_t offset, uint64_t count, const std::string& what) const {
    if (count > kMaxTable / sizeof(T))
      refuse(what + " of " + std::to_string(count) + " entries", "at most 64 MiB");
    if (!bytes_.contains(offset, count * sizeof(T))) beyond(what, offset, count * sizeof(T));
    std::vector<T> result(count);
    if (!bytes_.read(offset, result.data(), count * sizeof(T)))
      beyond(what, offset, count * sizeof(T));
    return result;
  }
  // A string table of size bytes, of which the last must be NUL.
  std::string strings(uint64_t offset, uint64_t size, const std::string& what) const;
  // The string at an index of a table that strings() returned. Refuses more than 64 KiB, and more
  // than 256 MiB in all calls together: every name may lead to the same long string.
  std::string name_at(const std::string& strings, uint64_t index, const std::string& what) const;

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

 private:
  static constexpr uint64_t kMaxTable = uint64_t{1} << 26;
  static constexpr uint64_t kMaxName = uint64_t{1} << 16;
  static constexpr uint64_t kMaxNames = uint64_t{1} << 28;

  void check_header() const;
  [[noreturn]] void beyond(const std::string& what, uint64_t offset, uint64_t size) const;

  const Bytes& bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  mutable uint64_t names_ = 0;  // bytes that name_at has returned
};

}  // namespace broch::plugins
