// integrity.hpp: how a safetensors file notices every flipped bit in itself.
//
// Metadata "broch.crc32c" holds CRC-32C sums of 8 hexadecimal digits each: first that of the header
// (length field, JSON and padding, with these 8 digits as zeros), then one per MiB of data. The
// header's sum covers the others; the text is compared, so that a changed letter case counts too.
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

// Sums of consecutive chunks of the data, fed in pieces of any size.
class ChunkSums {
 public:
  void add(std::span<const std::byte> bytes);
  std::string text() const;  // of all bytes so far

 private:
  std::string done_;
  uint64_t in_chunk_ = 0;
  uint32_t crc_ = 0;
};

// The value to put into the header before seal().
std::string unsealed(const std::string& chunk_sums);
// Fills in the header's own sum. `header` starts with the length field.
void seal(std::string& header);
// Whether the header's own sum is right; false too when it is not where seal() puts it.
bool is_sealed(std::string header);

}  // namespace broch::store
