// elf_image.cpp: header checks, segments, sections.
#include "elf_image.hpp"

#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "plugins/elf.hpp"

namespace broch::plugins {

// Structs are copied from the file without byte swapping.
static_assert(std::endian::native == std::endian::little);

ElfImage::ElfImage(const Bytes& bytes) : bytes_(bytes) {
  if (bytes_.size() > kMaxFile)
    refuse("a file of " + std::to_string(bytes_.size()) + " bytes", "at most 2 GiB");
  if (!bytes_.read(0, &header_, sizeof header_))
    refuse("a file of " + std::to_string(bytes_.size()) + " bytes",
           "an ELF header of " + std::to_string(sizeof header_) + " bytes");
  check_header();
  segments_ = table<Elf64_Phdr>(header_.e_phoff, header_.e_phnum, "program header table");
}

void ElfImage::check_header() const {
  const unsigned char* ident = header_.e_ident;
  if (std::memcmp(ident, ELFMAG, SELFMAG) != 0) refuse("no ELF magic", "a shared object");
  if (ident[EI_CLASS] != ELFCLASS64)
    refuse("ELF class " + std::to_string(ident[EI_CLASS]), "2, a 64-bit file");
  if (ident[EI_DATA] != ELFDATA2LSB)
    refuse("ELF data encoding " + std::to_string(ident[EI_DATA]), "1, a little-endian file");
  if (ident[EI_VERSION] != EV_CURRENT || header_.e_version != EV_CURRENT)
    refuse("ELF version " + std::to_string(header_.e_version), "1");
  if (header_.e_type != ET_DYN)
    refuse("ELF type " + std::to_string(header_.e_type), "3, a shared object");
  if (header_.e_machine != EM_X86_64 && header_.e_machine != EM_AARCH64)
    refuse("ELF machine " + std::to_string(header_.e_machine), "62 (x86-64) or 183 (aarch64)");
  if (header_.e_phentsize != sizeof(Elf64_Phdr))
    refuse("program headers of " + std::to_string(header_.e_phentsize) + " bytes",
           std::to_string(sizeof(Elf64_Phdr)));
  if (header_.e_phnum == 0 || header_.e_phnum == PN_XNUM)
    refuse(std::to_string(header_.e_phnum) + " program headers", "1 to 65534");
}

std::vector<Elf64_Shdr> ElfImage::sections() const {
  if (header_.e_shoff == 0) return {};
  if (header_.e_shentsize != sizeof(Elf64_Shdr))
    refuse("section headers of " + std::to_string(header_.e_shentsize) + " bytes",
           std::to_string(sizeof(Elf64_Shdr)));
  if (header_.e_shnum == 0 || header_.e_shnum >= SHN_LORESERVE)
    refuse(std::to_string(header_.e_shnum) + " section headers", "1 to 65279");
  return table<Elf64_Shdr>(header_.e_shoff, header_.e_shnum, "section header table");
}

std::string ElfImage::section_names(const std::vector<Elf64_Shdr>& sections) const {
  if (header_.e_shstrndx >= sections.size())
    refuse("section names in section " + std::to_string(header_.e_shstrndx),
           "a section below " + std::to_string(sections.size()));
  const Elf64_Shdr& names = sections[header_.e_shstrndx];
  if (names.sh_type != SHT_STRTAB)
    refuse("section names in a section of type " + std::to_string(names.sh_type),
           "3, a string table");
  return strings(names.sh_offset, names.sh_size, "section name table");
}

std::optional<Extent> ElfImage::extent(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const uint64_t inside = address - segment.p_vaddr;
    if (inside >= segment.p_filesz) continue;
    // The loader could not load a segment that reaches beyond the end of the file or wraps around.
    if (!bytes_.contains(segment.p_offset, segment.p_filesz))
      beyond("loadable segment", segment.p_offset, segment.p_filesz);
    return Extent{segment.p_offset + inside, segment.p_filesz - inside};
  }
  return std::nullopt;
}

uint64_t ElfImage::offset_of(uint64_t address, uint64_t size, const std::string& what) const {
  const std::optional<Extent> found = extent(address);
  if (!found || found->size < size)
    refuse(what + " at address " + std::to_string(address) + " with " + std::to_string(size) +
               " bytes",
           "a range inside one loadable segment");
  return found->offset;
}

std::string ElfImage::strings(uint64_t offset, uint64_t size, const std::string& what) const {
  const std::vector<char> copy = table<char>(offset, size, what);
  if (copy.empty() || copy.back() != '\0') refuse(what + " without a final NUL", "a string table");
  return std::string(copy.begin(), copy.end());
}

std::string ElfImage::name_at(const std::string& strings, uint64_t index,
                              const std::string& what) const {
  if (index >= strings.size())
    refuse(what + " at " + std::to_string(index) + " of a string table of " +
               std::to_string(strings.size()) + " bytes",
           "an index inside the table");
  const char* const name = strings.c_str() + index;
  const size_t size = std::strlen(name);  // strings() has checked that the table ends with a NUL
  if (size > kMaxName) refuse(what + " of " + std::to_string(size) + " bytes", "at most 64 KiB");
  names_ += size;
  if (names_ > kMaxNames) refuse("more than 256 MiB of names", "fewer");
  return name;
}

void ElfImage::beyond(const std::string& what, uint64_t offset, uint64_t size) const {
  refuse(what + " of " + std::to_string(size) + " bytes at offset " + std::to_string(offset),
         "a range inside the file of " + std::to_string(bytes_.size()) + " bytes");
}

void ElfImage::refuse(const std::string& found, const std::string& expected) const {
  throw base::Error(base::Exit::plugin,
                    base::Diagnostic{bytes_.place(), found, expected,
                                     "rebuild the library for this machine, or remove the file"});
}

}  // namespace broch::plugins
