// workspace.cpp: reserves addresses with mmap, and makes memory usable with mprotect.
#include "runtime/workspace.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace broch::runtime {
namespace {

size_t page() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  return pages > 0 ? static_cast<size_t>(pages) * page() : 0;
}

std::byte* map(size_t bytes) {
  void* const at =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

}  // namespace

Workspace::~Workspace() {
  for (const Region& region : regions_) munmap(region.begin, region.reserved);
}

// Reserves as many bytes as the machine has memory, or only `bytes` if addresses are limited.
Workspace::Region Workspace::reserve(size_t bytes) {
  size_t reserved = std::max(bytes, physical_memory());
  std::byte* begin = map(reserved);
  if (!begin) begin = map(reserved = bytes);
  if (!begin) throw std::bad_alloc();
  return {begin, reserved, 0};
}

std::byte* Workspace::at_least(size_t bytes) {
  bytes = (std::max<size_t>(bytes, 1) + page() - 1) / page() * page();
  if (regions_.empty() || regions_.back().reserved < bytes) regions_.push_back(reserve(bytes));
  Region& region = regions_.back();
  if (region.usable < bytes) {
    if (mprotect(region.begin, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    region.usable = bytes;
  }
  return region.begin;
}

void Workspace::forget() {
  for (const Region& region : regions_)
    if (region.usable) madvise(region.begin, region.usable, MADV_DONTNEED);
}

}  // namespace broch::runtime
