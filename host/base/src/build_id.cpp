// build_id.cpp: a note is a header (name size, description size, type), then the name and the
// description, each padded to the alignment.
#include "base/build_id.hpp"

#include <elf.h>

#include <cstring>

#include "base/text.hpp"

namespace broch::base {

std::string build_id_of(std::span<const unsigned char> notes, uint64_t align) {
  const uint64_t unit = align == 8 ? 8 : 4;
  const auto padded = [unit](uint64_t size) { return (size + unit - 1) / unit * unit; };
  for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    const uint64_t name = at + sizeof note;
    const uint64_t description = name + padded(note.n_namesz);  // sizes have 32 bits: no overflow
    if (description + note.n_descsz > notes.size()) return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0)
      return hexadecimal(
          {reinterpret_cast<const char*>(notes.data() + description), note.n_descsz});
    at = description + padded(note.n_descsz);
  }
  return "";
}

}  // namespace broch::base
