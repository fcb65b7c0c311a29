// bytes.cpp: pread or memcpy, after a check of the range.
#include "plugins/bytes.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace broch::plugins {
namespace {

bool read_all(int descriptor, uint64_t offset, char* to, uint64_t size) {
  while (size > 0) {
    const ssize_t n = pread(descriptor, to, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<uint64_t>(n);
  }
  return true;
}

}  // namespace

Bytes::Bytes(int descriptor, uint64_t size, std::string place)
    : descriptor_(descriptor), size_(size), place_(std::move(place)) {}

Bytes::Bytes(std::span<const std::byte> memory, std::string place)
    : memory_(memory.data()), size_(memory.size()), place_(std::move(place)) {}

bool Bytes::read(uint64_t offset, void* to, uint64_t size) const {
  if (!contains(offset, size)) return false;
  if (size == 0) return true;
  if (memory_ == nullptr) return read_all(descriptor_, offset, static_cast<char*>(to), size);
  std::memcpy(to, memory_ + offset, size);
  return true;
}

}  // namespace broch::plugins
