// integrity.hpp: checksums by which every flipped bit of a safetensors file is detected.
//
// The metadata "broch.crc32c" holds CRC-32C checksums of 8 hexadecimal digits each: first that of
// the header (length field, JSON and padding, with these 8 digits as zeros), then one for each MiB
// of data. The header's checksum covers the others. Checksums are compared as text, so that a
// changed letter case is detected as well.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace broch::store {

inline constexpr std::string_view kSumsKey = "broch.crc32c";
inline constexpr uint64_t kChunk = 1 << 20;
inline constexpr size_t kSumDigits = 8;

// Checksums of consecutive chunks of the data, which may be added in pieces of any size.
class ChunkSums {
 public:
  void add(std::span<const std::byte> bytes);
  std::string text() const;  // of all bytes so far

 private:
  std::string done_;
  uint64_t in_chunk_ = 0;
  uint32_t crc_ = 0;
};

// The value of kSumsKey to put into the header before seal().
std::string unsealed(const std::string& chunk_sums);
// Fills in the header's own checksum. `header` starts with the length field.
void seal(std::string& header);
// Whether the header's own checksum is right, and where seal() puts it.
bool is_sealed(std::string header);

}  // namespace broch::store
