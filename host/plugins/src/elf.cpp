// elf.cpp: metadata, entry, symbols and notes of a shared object.
#include "plugins/elf.hpp"

#include <broch/entry.h>

#include <algorithm>

#include "base/build_id.hpp"
#include "elf_image.hpp"

namespace broch::plugins {
namespace {

constexpr uint64_t kMaxSymbols = uint64_t{1} << 20;
constexpr uint64_t kMaxVersions = 4096;
constexpr uint64_t kMaxNotes = uint64_t{1} << 20;  // bytes

// The entries of the dynamic segment. An address is 0 if there is no such entry.
struct Dynamic {
  uint64_t strings = 0, strings_size = 0;
  uint64_t symbols = 0;
  uint64_t hash = 0, gnu_hash = 0;
  uint64_t relocations = 0, relocations_size = 0;
  uint64_t versions = 0, version_libraries = 0;
  std::vector<uint64_t> needed;  // indices into the strings
};

void take(Dynamic& dynamic, const Elf64_Dyn& entry) {
  switch (entry.d_tag) {
    case DT_STRTAB:
      dynamic.strings = entry.d_un.d_ptr;
      break;
    case DT_STRSZ:
      dynamic.strings_size = entry.d_un.d_val;
      break;
    case DT_SYMTAB:
      dynamic.symbols = entry.d_un.d_ptr;
      break;
    case DT_HASH:
      dynamic.hash = entry.d_un.d_ptr;
      break;
    case DT_GNU_HASH:
      dynamic.gnu_hash = entry.d_un.d_ptr;
      break;
    case DT_RELA:
      dynamic.relocations = entry.d_un.d_ptr;
      break;
    case DT_RELASZ:
      dynamic.relocations_size = entry.d_un.d_val;
      break;
    case DT_VERNEED:
      dynamic.versions = entry.d_un.d_ptr;
      break;
    case DT_VERNEEDNUM:
      dynamic.version_libraries = entry.d_un.d_val;
      break;
    case DT_NEEDED:
      dynamic.needed.push_back(entry.d_un.d_val);
      break;
    default:
      break;
  }
}

Dynamic read_dynamic(const ElfImage& image) {
  Dynamic dynamic;
  for (const Elf64_Phdr& segment : image.segments()) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto entries = image.table<Elf64_Dyn>(
        segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn), "dynamic segment");
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_NULL) return dynamic;
      take(dynamic, entry);
    }
    image.refuse("a dynamic segment without an end", "DT_NULL as its last entry");
  }
  image.refuse("no dynamic segment", "a shared object made by a linker");
}

template <class T>
T read_at(const ElfImage& image, uint64_t address, const std::string& what) {
  return image.table<T>(image.offset_of(address, sizeof(T), what), 1, what).front();
}

// The symbol table does not state its length. It follows from DT_GNU_HASH: the last symbol is in
// the chain of the bucket with the highest index, and a chain ends where the lowest bit is set.
uint64_t count_by_gnu_hash(const ElfImage& image, uint64_t address) {
  struct Header {
    uint32_t buckets, first, bloom, shift;
  };
  const std::string what = "symbol hash table";
  const auto header = read_at<Header>(image, address, what);
  const uint64_t buckets_at = address + sizeof(Header) + uint64_t{8} * header.bloom;
  const uint64_t buckets_size = uint64_t{4} * header.buckets;
  const auto buckets =
      image.table<uint32_t>(image.offset_of(buckets_at, buckets_size, what), header.buckets, what);
  uint64_t last = 0;
  for (const uint32_t bucket : buckets) last = std::max<uint64_t>(last, bucket);
  if (last < header.first) return header.first;
  const uint64_t chains_at = buckets_at + buckets_size;
  for (; last < kMaxSymbols; ++last)
    if (read_at<uint32_t>(image, chains_at + 4 * (last - header.first), what) & 1) break;
  return last + 1;
}

uint64_t count_symbols(const ElfImage& image, const Dynamic& dynamic) {
  uint64_t count = 0;
  if (dynamic.gnu_hash != 0)
    count = count_by_gnu_hash(image, dynamic.gnu_hash);
  else if (dynamic.hash != 0)  // two words: numbers of buckets and of symbols
    count = read_at<uint64_t>(image, dynamic.hash, "symbol hash table") >> 32;
  else
    image.refuse("no symbol hash table", "DT_GNU_HASH or DT_HASH");
  if (count > kMaxSymbols)
    image.refuse(std::to_string(count) + " dynamic symbols",
                 "at most " + std::to_string(kMaxSymbols));
  return count;
}

bool is_exported(const Elf64_Sym& symbol) {
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  // Absolute symbols are version names and markers of the linker.
  return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && binding != STB_LOCAL &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

// Fills facts.exports and facts.unique. Returns the address of the entry, or 0 if there is none.
uint64_t read_symbols(const ElfImage& image, const Dynamic& dynamic, const std::string& strings,
                      ElfFacts& facts) {
  const std::string what = "dynamic symbol table";
  const uint64_t count = count_symbols(image, dynamic);
  const uint64_t offset = image.offset_of(dynamic.symbols, count * sizeof(Elf64_Sym), what);
  uint64_t entry = 0;
  for (const Elf64_Sym& symbol : image.table<Elf64_Sym>(offset, count, what)) {
    const std::string name = image.name_at(strings, symbol.st_name, "name of a dynamic symbol");
    if (!is_exported(symbol)) continue;
    if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE) facts.unique.push_back(name);
    if (name == kEntrySymbol) entry = symbol.st_value;
    facts.exports.push_back(name);
  }
  return entry;
}

// A linked list of libraries, each with a linked list of versions. Every element has the distance
// to the next one.
std::vector<SymbolVersion> read_versions(const ElfImage& image, const Dynamic& dynamic,
                                         const std::string& strings) {
  const std::string what = "symbol versions";
  std::vector<SymbolVersion> versions;
  uint64_t at = dynamic.versions;
  if (dynamic.version_libraries > kMaxVersions)
    image.refuse("symbol versions of " + std::to_string(dynamic.version_libraries) + " libraries",
                 "at most " + std::to_string(kMaxVersions));
  for (uint64_t i = 0; at != 0 && i < dynamic.version_libraries; ++i) {
    const auto library = read_at<Elf64_Verneed>(image, at, what);
    uint64_t one_at = at + library.vn_aux;
    for (uint64_t k = 0; k < library.vn_cnt; ++k) {
      const auto one = read_at<Elf64_Vernaux>(image, one_at, what);
      versions.push_back({image.name_at(strings, library.vn_file, "library of a symbol version"),
                          image.name_at(strings, one.vna_name, "name of a symbol version")});
      if (versions.size() > kMaxVersions)
        image.refuse("more than " + std::to_string(kMaxVersions) + " symbol versions",
                     "at most that many");
      one_at += one.vna_next;
    }
    if (library.vn_next == 0) break;
    at += library.vn_next;
  }
  return versions;
}

EntryFields read_entry(const ElfImage& image, uint64_t address) {
  struct Words {
    uint32_t magic, struct_size, abi_major, abi_minor, min_host_minor, flags;
  };
  static_assert(offsetof(broch_entry, meta_json) == sizeof(Words));
  const auto words = read_at<Words>(image, address, kEntrySymbol);
  const auto count =
      read_at<uint64_t>(image, address + offsetof(broch_entry, component_count), kEntrySymbol);
  return {words.magic,
          words.struct_size,
          words.abi_major,
          words.abi_minor,
          words.min_host_minor,
          words.flags,
          count};
}

uint32_t relative_type(const ElfImage& image) {
  return image.machine() == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
}

// The address that the loader will store in a pointer of the file.
uint64_t pointer_at(const ElfImage& image, const Dynamic& dynamic, uint64_t slot) {
  if (dynamic.relocations_size > 0) {
    const std::string what = "relocation table";
    const uint64_t offset = image.offset_of(dynamic.relocations, dynamic.relocations_size, what);
    const auto relocations =
        image.table<Elf64_Rela>(offset, dynamic.relocations_size / sizeof(Elf64_Rela), what);
    for (const Elf64_Rela& relocation : relocations)
      if (relocation.r_offset == slot && ELF64_R_TYPE(relocation.r_info) == relative_type(image))
        return static_cast<uint64_t>(relocation.r_addend);
  }
  // With packed relative relocations (DT_RELR), the pointer itself contains the address.
  return read_at<uint64_t>(image, slot, "meta_json of broch_entry_v1");
}

std::string text_at(const ElfImage& image, uint64_t address) {
  const std::optional<Extent> extent = image.extent(address);
  if (address == 0 || !extent)
    image.refuse("meta_json of broch_entry_v1 points to address " + std::to_string(address),
                 "a text in a loadable segment");
  const uint64_t size = std::min(extent->size, kMaxMetadata);
  const auto copy = image.table<char>(extent->offset, size, "metadata");
  const auto end = std::find(copy.begin(), copy.end(), '\0');
  if (end == copy.end())
    image.refuse("metadata without a final NUL", "a text of at most 1 MiB that ends in NUL");
  return std::string(copy.begin(), end);
}

// Several NULs may stand between two texts, because objects in a section may be aligned.
std::vector<std::string> split_texts(const std::vector<char>& section) {
  std::vector<std::string> texts;
  for (auto at = section.begin(); at != section.end();) {
    const auto end = std::find(at, section.end(), '\0');
    if (end != at) texts.emplace_back(at, end);
    at = end == section.end() ? end : end + 1;
  }
  return texts;
}

std::vector<std::string> read_section(const ElfImage& image) {
  const std::vector<Elf64_Shdr> sections = image.sections();
  if (sections.empty()) return {};
  const std::string names = image.section_names(sections);
  for (const Elf64_Shdr& section : sections) {
    if (image.name_at(names, section.sh_name, "name of a section") != ".broch.meta") continue;
    if (section.sh_type != SHT_PROGBITS)
      image.refuse("section .broch.meta of type " + std::to_string(section.sh_type),
                   "1, bytes of the program");
    if (section.sh_size > kMaxMetadata)
      image.refuse("section .broch.meta of " + std::to_string(section.sh_size) + " bytes",
                   "at most 1 MiB");
    const auto copy = image.table<char>(section.sh_offset, section.sh_size, "section .broch.meta");
    if (!copy.empty() && copy.back() != '\0')
      image.refuse("section .broch.meta without a final NUL", "texts that end in NUL");
    return split_texts(copy);
  }
  return {};
}

std::string read_build_id(const ElfImage& image) {
  for (const Elf64_Phdr& segment : image.segments()) {
    if (segment.p_type != PT_NOTE) continue;
    if (segment.p_filesz > kMaxNotes)
      image.refuse("notes of " + std::to_string(segment.p_filesz) + " bytes", "at most 1 MiB");
    const auto notes = image.table<unsigned char>(segment.p_offset, segment.p_filesz, "notes");
    const std::string id = base::build_id_of(notes, segment.p_align);
    if (!id.empty()) return id;
  }
  return "";
}

}  // namespace

ElfFacts read_elf(const Bytes& bytes) {
  const ElfImage image(bytes);
  const Dynamic dynamic = read_dynamic(image);
  const std::string strings =
      image.strings(image.offset_of(dynamic.strings, dynamic.strings_size, "dynamic string table"),
                    dynamic.strings_size, "dynamic string table");

  ElfFacts facts;
  facts.machine = image.machine();
  for (const uint64_t index : dynamic.needed)
    facts.needed.push_back(image.name_at(strings, index, "name of a needed library"));
  facts.versions = read_versions(image, dynamic, strings);
  const uint64_t entry = read_symbols(image, dynamic, strings, facts);
  facts.build_id = read_build_id(image);
  facts.metadata = read_section(image);
  if (entry == 0) return facts;
  facts.entry = read_entry(image, entry);
  if (facts.metadata.empty()) {
    const uint64_t slot = entry + offsetof(broch_entry, meta_json);
    facts.metadata.push_back(text_at(image, pointer_at(image, dynamic, slot)));
  }
  return facts;
}

}  // namespace broch::plugins
