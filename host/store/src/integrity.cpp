// integrity.cpp: checksums as text.
#include "integrity.hpp"

#include <algorithm>

#include "base/checksum.hpp"

namespace broch::store {
namespace {

std::string digits(uint32_t sum) {
  std::string text(kSumDigits, '0');
  for (size_t i = 0; i < kSumDigits; ++i)
    text[i] = "0123456789abcdef"[(sum >> (4 * (kSumDigits - 1 - i))) & 15];
  return text;
}

// kSumsKey as it appears in the header.
constexpr std::string_view kMarker = "\"broch.crc32c\":\"";

// Quotes inside JSON strings are escaped, so these bytes occur only at the key.
size_t sum_position(std::string_view header) {
  const size_t at = header.find(kMarker);
  if (at == std::string_view::npos || header.size() - at < kMarker.size() + kSumDigits)
    return std::string_view::npos;
  return at + kMarker.size();
}

}  // namespace

void ChunkSums::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t size = std::min<uint64_t>(bytes.size(), kChunk - in_chunk_);
    crc_ = base::crc32c(bytes.data(), size, crc_);
    in_chunk_ += size;
    bytes = bytes.subspan(size);
    if (in_chunk_ < kChunk) continue;
    done_ += digits(crc_);
    crc_ = 0;
    in_chunk_ = 0;
  }
}

std::string ChunkSums::text() const { return in_chunk_ == 0 ? done_ : done_ + digits(crc_); }

std::string unsealed(const std::string& chunk_sums) {
  return std::string(kSumDigits, '0') + chunk_sums;
}

void seal(std::string& header) {
  const uint32_t sum = base::crc32c(header.data(), header.size());
  header.replace(sum_position(header), kSumDigits, digits(sum));
}

bool is_sealed(std::string header) {
  const size_t at = sum_position(header);
  if (at == std::string::npos) return false;
  const std::string found = header.substr(at, kSumDigits);
  header.replace(at, kSumDigits, kSumDigits, '0');
  return found == digits(base::crc32c(header.data(), header.size()));
}

}  // namespace broch::store
