// build.cpp: identifies the build of LibTorch that this process has loaded.
#include <ATen/Context.h>
#include <link.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <span>

#include "base/build_id.hpp"
#include "broch/ext/torch_cxx.h"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

struct Search {
  uintptr_t address;     // in the library that is searched
  std::string build_id;  // "" until it is found
};

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
      search->build_id = base::build_id_of(
          {reinterpret_cast<const unsigned char*>(library->dlpi_addr + segment.p_vaddr),
           segment.p_memsz},
          segment.p_align);
  return 1;
}

}  // namespace

// Cached, since it is called for each plugin library that is loaded.
std::string TorchBackend::build() const {
  static const std::string tag = [] {
    Search search{reinterpret_cast<uintptr_t>(&at::globalContext), ""};
    dl_iterate_phdr(look_at, &search);
    if (search.build_id.empty()) search.build_id = "unknown";  // a tag that no plugin is built with
    return TORCH_VERSION "-" + search.build_id + "-" BROCH_TORCH_STRINGS;
  }();
  return tag;
}

}  // namespace broch::libtorch
