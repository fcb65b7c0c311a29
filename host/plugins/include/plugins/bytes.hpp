// bytes.hpp: a file as bounded reads, from a descriptor or from memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace broch::plugins {

// Both sources are borrowed. Reads go through pread and never through a mapping, so that a file cut
// short by somebody else is an error and not a SIGBUS.
class Bytes {
 public:
  // place is how messages name the file.
  Bytes(int descriptor, uint64_t size, std::string place);
  Bytes(std::span<const std::byte> memory, std::string place);

  uint64_t size() const { return size_; }
  const std::string& place() const { return place_; }
  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }
  // False when the range is not wholly inside the file or cannot be read.
  bool read(uint64_t offset, void* to, uint64_t size) const;

 private:
  int descriptor_ = -1;
  const std::byte* memory_ = nullptr;
  uint64_t size_;
  std::string place_;
};

}  // namespace broch::plugins
