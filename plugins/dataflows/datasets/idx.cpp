// idx.cpp: two zeros, the type, the number of dimensions, and the extents, big-endian. Source:
// "The IDX file format" in the description of MNIST.
#include "datasets/idx.hpp"

#include "arrays/diagnostic.hpp"

namespace datasets {

using arrays::quoted;
using arrays::refuse;

Idx parse_idx(std::string_view bytes, size_t dimensions, const std::string& place) {
  static constexpr char kUnsignedByte = 8;
  const std::string magic{0, 0, kUnsignedByte, char(dimensions)};
  if (bytes.substr(0, 4) != magic)
    refuse(place + ": byte 0", quoted(bytes.substr(0, 4)), quoted(magic),
           "name an idx file of bytes with " + std::to_string(dimensions) + " dimensions");
  const size_t head = 4 + 4 * dimensions;
  if (bytes.size() < head)
    refuse(place + ": byte " + std::to_string(bytes.size()), "the end of the file",
           "a header of " + std::to_string(head) + " bytes", "get the file again");
  Idx idx;
  uint64_t count = 1;
  for (size_t at = 4; at < head; at += 4) {
    uint64_t extent = 0;
    for (size_t i = 0; i < 4; ++i) extent = extent << 8 | static_cast<unsigned char>(bytes[at + i]);
    idx.shape.push_back(int64_t(extent));
    if (__builtin_mul_overflow(count, extent, &count)) count = UINT64_MAX;
  }
  idx.data = bytes.substr(head);
  if (count == 0 || idx.data.size() != count)
    refuse(place + ": byte " + std::to_string(head),
           std::to_string(idx.data.size()) + " bytes of data",
           count == 0 ? "at least one element" : std::to_string(count) + " as the header says",
           "get the file again");
  return idx;
}

}  // namespace datasets
