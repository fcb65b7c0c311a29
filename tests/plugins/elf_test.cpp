// elf_test.cpp: what is read from good files, and how damaged ones are refused.
#include "plugins/elf.hpp"

#include <broch/entry.h>
#include <elf.h>

#include <algorithm>

#include "support.hpp"

using broch::plugins::Bytes;
using broch::plugins::ElfFacts;
using broch::plugins::read_elf;

namespace {

// A library in memory whose structures can be written to.
class Image {
 public:
  explicit Image(const std::string& fixture)
      : bytes(support::read_bytes(support::fixture(fixture))) {
    REQUIRE(bytes.size() > sizeof(Elf64_Ehdr));
  }

  template <class T>
  T& at(uint64_t offset) {
    REQUIRE(offset + sizeof(T) <= bytes.size());
    return *reinterpret_cast<T*>(bytes.data() + offset);
  }
  Elf64_Ehdr& header() { return at<Elf64_Ehdr>(0); }

  Elf64_Phdr& segment(uint32_t type) {
    for (int i = 0; i < header().e_phnum; ++i) {
      auto& found = at<Elf64_Phdr>(header().e_phoff + i * sizeof(Elf64_Phdr));
      if (found.p_type == type) return found;
    }
    throw std::runtime_error("no such segment");
  }

  Elf64_Shdr& section(int index) {
    return at<Elf64_Shdr>(header().e_shoff + index * sizeof(Elf64_Shdr));
  }
  Elf64_Shdr& section(const std::string& name) {
    const uint64_t names = section(header().e_shstrndx).sh_offset;
    for (int i = 0; i < header().e_shnum; ++i)
      if (name == &at<char>(names + section(i).sh_name)) return section(i);
    throw std::runtime_error("no section " + name);
  }

  Elf64_Dyn& dynamic(int64_t tag) {
    const uint64_t start = segment(PT_DYNAMIC).p_offset;
    for (uint64_t place = start; at<Elf64_Dyn>(place).d_tag != DT_NULL; place += sizeof(Elf64_Dyn))
      if (at<Elf64_Dyn>(place).d_tag == tag) return at<Elf64_Dyn>(place);
    throw std::runtime_error("no such dynamic entry");
  }

  // What a tool does that removes the section headers as well.
  void drop_sections() {
    header().e_shoff = 0;
    header().e_shnum = 0;
    header().e_shstrndx = 0;
  }

  ElfFacts read() const { return read_elf(Bytes(bytes, "x.so")); }

  std::vector<std::byte> bytes;
};

struct Damage {
  const char* name;
  const char* fixture;
  void (*apply)(Image&);
  const char* found;
  const char* expected;
};

constexpr uint64_t kHuge = ~uint64_t{0} - 15;

const Damage kDamages[] = {
    {"empty", "good", [](Image& x) { x.bytes.clear(); }, "a file of 0 bytes", "an ELF header"},
    {"cut in the header", "good", [](Image& x) { x.bytes.resize(63); }, "63 bytes",
     "an ELF header"},
    {"cut before the segments", "good", [](Image& x) { x.bytes.resize(64); },
     "program header table of \\d+ bytes at offset 64", "file of 64 bytes"},
    {"cut in the segments", "good", [](Image& x) { x.bytes.resize(100); }, "program header table",
     "inside the file"},
    {"cut in the middle", "good", [](Image& x) { x.bytes.resize(x.bytes.size() / 2); },
     "of \\d+ bytes at offset", "inside the file"},
    {"cut in the section headers", "good", [](Image& x) { x.bytes.resize(x.bytes.size() - 9); },
     "section header table", "inside the file"},
    {"no magic", "good", [](Image& x) { x.bytes[1] = std::byte{'e'}; }, "no ELF magic",
     "a shared object"},
    {"32 bits", "good", [](Image& x) { x.header().e_ident[EI_CLASS] = ELFCLASS32; }, "class 1",
     "64-bit"},
    {"big-endian", "good", [](Image& x) { x.header().e_ident[EI_DATA] = ELFDATA2MSB; },
     "encoding 2", "little-endian"},
    {"other ELF version", "good", [](Image& x) { x.header().e_version = 9; }, "version 9", "1"},
    {"an executable", "good", [](Image& x) { x.header().e_type = ET_EXEC; }, "type 2",
     "a shared object"},
    {"other machine", "good", [](Image& x) { x.header().e_machine = EM_386; }, "machine 3",
     "x86-64"},
    {"program header size", "good", [](Image& x) { x.header().e_phentsize = 32; },
     "program headers of 32 bytes", "56"},
    {"no segments", "good", [](Image& x) { x.header().e_phnum = 0; }, "0 program headers", "1 to"},
    {"uncounted segments", "good", [](Image& x) { x.header().e_phnum = PN_XNUM; },
     "65535 program headers", "1 to 65534"},
    {"segments wrap around", "good", [](Image& x) { x.header().e_phoff = kHuge; },
     "program header table", "inside the file"},
    {"sections beyond the file", "good", [](Image& x) { x.header().e_shoff = x.bytes.size() + 64; },
     "section header table", "inside the file"},
    {"sections wrap around", "good", [](Image& x) { x.header().e_shoff = kHuge; },
     "section header table", "inside the file"},
    {"section header size", "good", [](Image& x) { x.header().e_shentsize = 40; },
     "section headers of 40 bytes", "64"},
    {"no count of sections", "good", [](Image& x) { x.header().e_shnum = 0; }, "0 section headers",
     "1 to"},
    {"section names index", "good", [](Image& x) { x.header().e_shstrndx = 9999; },
     "section names in section 9999", "below"},
    {"section names type", "good",
     [](Image& x) { x.section(x.header().e_shstrndx).sh_type = SHT_PROGBITS; },
     "section names in a section of type 1", "string table"},
    {"section names without NUL", "good",
     [](Image& x) { --x.section(x.header().e_shstrndx).sh_size; }, "without a final NUL",
     "string table"},
    {"section name index", "good", [](Image& x) { x.section(1).sh_name = 0x7fffffff; },
     "name of a section at 2147483647", "inside the table"},
    {"section name without an end", "good",
     [](Image& x) {
       auto& names = x.section(x.header().e_shstrndx);
       names.sh_offset = x.bytes.size();
       names.sh_size = 70'001;
       x.bytes.resize(x.bytes.size() + 70'000, std::byte{'a'});
       x.bytes.push_back(std::byte{0});
     },
     "name of a section of \\d+ bytes", "at most 64 KiB"},
    {"metadata size overflows", "good", [](Image& x) { x.section(".broch.meta").sh_size = kHuge; },
     "section .broch.meta of \\d+ bytes", "at most 1 MiB"},
    {"metadata beyond the file", "good",
     [](Image& x) { x.section(".broch.meta").sh_offset = kHuge; }, "section .broch.meta",
     "inside the file"},
    {"metadata without bytes", "good",
     [](Image& x) { x.section(".broch.meta").sh_type = SHT_NOBITS; }, "of type 8",
     "bytes of the program"},
    {"metadata without NUL", "good", [](Image& x) { --x.section(".broch.meta").sh_size; },
     "section .broch.meta without a final NUL", "end in NUL"},
    {"no dynamic segment", "good", [](Image& x) { x.segment(PT_DYNAMIC).p_type = PT_NULL; },
     "no dynamic segment", "made by a linker"},
    {"dynamic segment wraps around", "good",
     [](Image& x) { x.segment(PT_DYNAMIC).p_offset = kHuge; }, "dynamic segment",
     "inside the file"},
    {"dynamic segment too large", "good", [](Image& x) { x.segment(PT_DYNAMIC).p_filesz = kHuge; },
     "dynamic segment of \\d+ entries", "at most 64 MiB"},
    {"dynamic segment without an end", "good",
     [](Image& x) { x.segment(PT_DYNAMIC).p_filesz = 2 * sizeof(Elf64_Dyn); }, "without an end",
     "DT_NULL"},
    {"string table size", "good", [](Image& x) { x.dynamic(DT_STRSZ).d_un.d_val = kHuge; },
     "dynamic string table at address", "one loadable segment"},
    {"string table without NUL", "good", [](Image& x) { --x.dynamic(DT_STRSZ).d_un.d_val; },
     "dynamic string table without a final NUL", "string table"},
    {"needed library index", "secret_torch",
     [](Image& x) { x.dynamic(DT_NEEDED).d_un.d_val = 0xffffffff; },
     "name of a needed library at 4294967295", "inside the table"},
    {"symbol versions outside the segments", "hanging",
     [](Image& x) { x.dynamic(DT_VERNEED).d_un.d_ptr = kHuge; }, "symbol versions at address",
     "one loadable segment"},
    {"symbol versions of too many libraries", "hanging",
     [](Image& x) { x.dynamic(DT_VERNEEDNUM).d_un.d_val = 5000; },
     "symbol versions of 5000 libraries", "at most 4096"},
    {"symbol versions that come back to themselves", "hanging",
     [](Image& x) {
       const uint64_t at = x.section(".gnu.version_r").sh_offset;
       auto& library = x.at<Elf64_Verneed>(at);
       library.vn_cnt = 0xffff;
       x.at<Elf64_Vernaux>(at + library.vn_aux).vna_next = 0;
     },
     "more than 4096 symbol versions", "at most that many"},
    {"name of a symbol version", "hanging",
     [](Image& x) {
       const uint64_t at = x.section(".gnu.version_r").sh_offset;
       x.at<Elf64_Vernaux>(at + x.at<Elf64_Verneed>(at).vn_aux).vna_name = 0xfffffff0;
     },
     "name of a symbol version at 4294967280", "inside the table"},
    {"symbol name index", "good",
     [](Image& x) { x.at<Elf64_Sym>(x.section(".dynsym").sh_offset + 24).st_name = 0xfffffff0; },
     "name of a dynamic symbol", "inside the table"},
    {"symbols outside the segments", "good",
     [](Image& x) { x.dynamic(DT_SYMTAB).d_un.d_ptr = kHuge; }, "dynamic symbol table at address",
     "one loadable segment"},
    {"no hash table", "good", [](Image& x) { x.dynamic(DT_GNU_HASH).d_tag = DT_DEBUG; },
     "no symbol hash table", "DT_GNU_HASH"},
    {"hash buckets without end", "good",
     [](Image& x) { x.at<uint32_t>(x.section(".gnu.hash").sh_offset) = 0xffffffff; },
     "symbol hash table", "one loadable segment"},
    {"hash bloom without end", "good",
     [](Image& x) { x.at<uint32_t>(x.section(".gnu.hash").sh_offset + 8) = 0xffffffff; },
     "symbol hash table", "one loadable segment"},
    {"hash bucket points far away", "good",
     [](Image& x) {
       const uint64_t hash = x.section(".gnu.hash").sh_offset;
       x.at<uint32_t>(hash + 16 + 8 * x.at<uint32_t>(hash + 8)) = 0xfffffff0;
     },
     "4294967281 dynamic symbols", "at most 1048576"},
    {"hash chain without an end", "good",
     [](Image& x) {
       // One bucket whose chain begins in the last word of the segment and goes on after it.
       const Elf64_Phdr load = x.segment(PT_LOAD);
       const uint32_t words[] = {1, 1, 0, 0, 1, 2};
       x.dynamic(DT_GNU_HASH).d_un.d_ptr = load.p_vaddr + load.p_filesz - sizeof words;
       for (uint64_t i = 0; i < std::size(words); ++i)
         x.at<uint32_t>(load.p_offset + load.p_filesz - sizeof words + 4 * i) = words[i];
     },
     "symbol hash table at address \\d+ with 4 bytes", "one loadable segment"},
    {"old hash table with too many symbols", "good",
     [](Image& x) {
       x.dynamic(DT_GNU_HASH).d_tag = DT_HASH;
       x.at<uint32_t>(x.section(".gnu.hash").sh_offset + 4) = 0xffffffff;
     },
     "4294967295 dynamic symbols", "at most 1048576"},
    {"loadable segment wraps around", "good", [](Image& x) { x.segment(PT_LOAD).p_offset = kHuge; },
     "loadable segment", "inside the file"},
    {"loadable segment too long", "good", [](Image& x) { x.segment(PT_LOAD).p_filesz = kHuge; },
     "loadable segment", "inside the file"},
    {"notes too long", "good", [](Image& x) { x.segment(PT_NOTE).p_filesz = 1 << 21; },
     "notes of 2097152 bytes", "at most 1 MiB"},
    {"relocations too long", "no_section",
     [](Image& x) { x.dynamic(DT_RELASZ).d_un.d_val = kHuge; }, "relocation table at address",
     "one loadable segment"},
    {"text of the entry outside the segments", "no_section",
     [](Image& x) {
       const auto& table = x.section(".rela.dyn");
       for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Rela))
         x.at<Elf64_Rela>(table.sh_offset + at).r_addend = 0x7000000000;
     },
     "meta_json of broch_entry_v1 points to address", "loadable segment"},
    {"entry outside the segments", "good",
     [](Image& x) {
       const auto& symbols = x.section(".dynsym");
       for (uint64_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym))
         x.at<Elf64_Sym>(symbols.sh_offset + at).st_value |= uint64_t{1} << 62;
     },
     "broch_entry_v1 at address", "one loadable segment"},
};

}  // namespace

TEST_CASE("elf: a good library tells metadata, entry, build-id, needs and its one symbol") {
  const ElfFacts facts = Image("good").read();
  REQUIRE(facts.metadata.size() == 1);
  CHECK(facts.metadata[0].starts_with("{\"components\": ["));
  CHECK(facts.metadata[0].ends_with("]}"));
  REQUIRE(facts.entry.has_value());
  CHECK(facts.entry->magic == BROCH_ENTRY_MAGIC);
  CHECK(facts.entry->struct_size == sizeof(broch_entry));
  CHECK(facts.entry->abi_minor == BROCH_ABI_MINOR);
  CHECK(facts.entry->component_count == 2);
  CHECK(facts.exports == std::vector<std::string>{"broch_entry_v1"});
  CHECK(facts.unique.empty());
}

TEST_CASE("elf: the libraries that a file needs are told in order") {
  auto needed = Image("secret_torch").read().needed;
  std::erase_if(needed, [](const std::string& name) {
    return name.starts_with("libasan") || name.starts_with("libtsan");
  });
  REQUIRE(!needed.empty());
  CHECK(needed[0] == "libtorch_stub.so");
}

TEST_CASE("elf: the versions of symbols are told with their libraries") {
  const auto versions = Image("hanging").read().versions;
  const auto is_libc = [](const broch::plugins::SymbolVersion& needed) {
    return needed.library == "libc.so.6" && needed.version.starts_with("GLIBC_2.");
  };
  CHECK(std::any_of(versions.begin(), versions.end(), is_libc));
}

TEST_CASE("elf: the build-id is the one that the linker wrote") {
  Image image("good");
  const auto& section = image.section(".note.gnu.build-id");
  const auto& note = image.at<Elf64_Nhdr>(section.sh_offset);
  std::string expected;
  for (uint32_t i = 0; i < note.n_descsz; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x",
                  image.at<unsigned char>(section.sh_offset + sizeof note + 4 + i));
    expected += digits;
  }
  CHECK(image.read().build_id == expected);
  CHECK(expected.size() == 40);
}

TEST_CASE("elf: without section .broch.meta the text is found through the symbol") {
  const ElfFacts facts = Image("no_section").read();
  REQUIRE(facts.metadata.size() == 1);
  CHECK(facts.metadata[0].find("\"test.no_section\"") != std::string::npos);
}

TEST_CASE("elf: a library without section headers reads the same") {
  for (const char* fixture : {"good", "no_section"}) {
    Image image(fixture);
    const ElfFacts whole = image.read();
    image.drop_sections();
    const ElfFacts bare = image.read();
    CHECK(bare.metadata == whole.metadata);
    CHECK(bare.entry == whole.entry);
    CHECK(bare.build_id == whole.build_id);
    CHECK(bare.exports == whole.exports);
  }
}

TEST_CASE("elf: a stripped library reads the same") {
  const support::Folder folder;
  const std::string path = folder.put("good", "stripped.so");
  REQUIRE(std::system((std::string(STRIP) + " " + path).c_str()) == 0);
  const auto bytes = support::read_bytes(path);
  CHECK(bytes.size() < support::read_bytes(support::fixture("good")).size());
  CHECK(read_elf(Bytes(bytes, path)).metadata == Image("good").read().metadata);
}

TEST_CASE("elf: relocations and machine of aarch64 are read as well") {
  Image image("no_section");
  const auto metadata = image.read().metadata;
  image.header().e_machine = EM_AARCH64;
  const auto& table = image.section(".rela.dyn");
  for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Rela)) {
    auto& relocation = image.at<Elf64_Rela>(table.sh_offset + at);
    if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE)
      relocation.r_info = ELF64_R_INFO(0, R_AARCH64_RELATIVE);
  }
  image.drop_sections();
  CHECK(image.read().metadata == metadata);
  CHECK(image.read().machine == EM_AARCH64);
}

TEST_CASE("elf: several texts in the section are several texts, whatever the padding") {
  Image image("good");
  const auto& section = image.section(".broch.meta");
  for (const uint64_t at : {4, 5, 6, 20}) image.at<char>(section.sh_offset + at) = '\0';
  const auto texts = image.read().metadata;
  REQUIRE(texts.size() == 3);
  CHECK(texts[0] == "{\"co");
  CHECK(texts[1].size() == 13);
}

TEST_CASE("elf: a second exported symbol and a UNIQUE one are seen") {
  const auto two = Image("two_symbols").read().exports;
  CHECK(std::find(two.begin(), two.end(), "second_symbol") != two.end());
  const auto unique = Image("unique").read().unique;
  REQUIRE(unique.size() == 1);
  CHECK(unique[0].find("Counter") != std::string::npos);
}

TEST_CASE("elf: a library without the entry has none") {
  const ElfFacts facts = Image("no_symbol").read();
  CHECK_FALSE(facts.entry.has_value());
  CHECK(facts.metadata.size() == 1);
}

TEST_CASE("elf: every damaged file is refused with place, found, expected and next step") {
  CHECK(std::size(kDamages) >= 15);
  for (const Damage& damage : kDamages) {
    CAPTURE(damage.name);
    Image image(damage.fixture);
    damage.apply(image);
    support::check_diagnostic(support::failure([&image] { image.read(); }), "x\\.so", damage.found,
                              damage.expected, "rebuild the library");
  }
}
