// bytes.hpp: bounds-checked reads from a file descriptor or from memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace broch::plugins {

// Does not own the descriptor or the memory. A file is read with pread and never mapped: if
// somebody truncates it meanwhile, a read fails, where a mapping would raise SIGBUS.
class Bytes {
 public:
  // place: the name of the file in messages.
  Bytes(int descriptor, uint64_t size, std::string place);
  Bytes(std::span<const std::byte> memory, std::string place);

  uint64_t size() const { return size_; }
  const std::string& place() const { return place_; }
  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }
  // Returns false if part of the range lies outside the file or if it cannot be read.
  bool read(uint64_t offset, void* to, uint64_t size) const;

 private:
  int descriptor_ = -1;
  const std::byte* memory_ = nullptr;
  uint64_t size_;
  std::string place_;
};

}  // namespace broch::plugins
