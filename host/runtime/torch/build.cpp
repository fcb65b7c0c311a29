// build.cpp: which build of LibTorch this process has loaded.
#include <ATen/Context.h>
#include <link.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cstring>

#include "broch/ext/torch_cxx.h"
#include "torch_backend.hpp"

namespace broch::runtime {
namespace {

struct Search {
  uintptr_t address;     // in the library
  std::string build_id;  // "" until found
};

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// The build-id among the notes of a segment; "" without one.
std::string build_id_in(std::string_view notes, size_t align) {
  const auto padded = [align](size_t size) { return (size + align - 1) / align * align; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const size_t text = sizeof note + padded(note.n_namesz);
    if (text + note.n_descsz > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof note, 3) == "GNU")
      return hexadecimal(notes.substr(text, note.n_descsz));
    notes.remove_prefix(std::min(notes.size(), text + padded(note.n_descsz)));
  }
  return "";
}

int look_at(dl_phdr_info* library, size_t, void* search_) {
  auto* search = static_cast<Search*>(search_);
  const std::span<const ElfW(Phdr)> segments(library->dlpi_phdr, library->dlpi_phnum);
  const auto holds = [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           search->address - library->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  };
  if (std::ranges::none_of(segments, holds)) return 0;
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_NOTE && search->build_id.empty())
      search->build_id = build_id_in(
          {reinterpret_cast<const char*>(library->dlpi_addr + segment.p_vaddr), segment.p_memsz},
          segment.p_align == 8 ? 8 : 4);
  return 1;
}

}  // namespace

std::string TorchBackend::build() const {
  Search search{reinterpret_cast<uintptr_t>(&at::globalContext), ""};
  dl_iterate_phdr(look_at, &search);
  if (search.build_id.empty()) search.build_id = "unknown";  // what no plugin is built with
  return TORCH_VERSION "-" + search.build_id + "-" BROCH_TORCH_STRINGS;
}

}  // namespace broch::runtime
