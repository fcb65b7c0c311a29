// elf_image.hpp: headers of an ELF file and the way from addresses to file offsets.
#pragma once
#include <elf.h>

#include <optional>
#include <string>
#include <vector>

#include "plugins/bytes.hpp"

namespace broch::plugins {

// Bytes of the file that an address stands for.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

class ElfImage {
 public:
  // bytes is borrowed.
  explicit ElfImage(const Bytes& bytes);

  uint16_t machine() const { return header_.e_machine; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  // Empty when the file has no section headers.
  std::vector<Elf64_Shdr> sections() const;
  std::string section_names(const std::vector<Elf64_Shdr>& sections) const;

  // From the address to the end of its segment's part of the file.
  std::optional<Extent> extent(uint64_t address) const;
  // Where the size bytes at the address stand in the file; what names them in the message.
  uint64_t offset_of(uint64_t address, uint64_t size, const std::string& what) const;

  // Copies count elements after checking that they are in the file and at most 64 MiB.
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
  // A string table: size bytes, the last of which is NUL.
  std::string strings(uint64_t offset, uint64_t size, const std::string& what) const;
  // The string at an index of such a table.
  std::string name_at(const std::string& strings, uint64_t index, const std::string& what) const;

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

 private:
  static constexpr uint64_t kMaxTable = uint64_t{1} << 26;

  void check_header() const;
  [[noreturn]] void beyond(const std::string& what, uint64_t offset, uint64_t size) const;

  const Bytes& bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace broch::plugins
