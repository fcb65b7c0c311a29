// checksum.cpp: CRC-32C with the SSE4.2 instruction if the processor has it, otherwise with tables.
#include "base/checksum.hpp"

#include <array>
#include <cstring>

#include "base/text.hpp"
#include "crc32c.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace broch::base {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// Slicing by eight (Kounavis and Berry 2008): tables[k][b] is the CRC of the byte b followed by k
// zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0u);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xFF];
    }
  }
  return tables;
}

uint64_t load64(const unsigned char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace

uint32_t crc32c_by_tables(const unsigned char* at, size_t size, uint32_t crc) {
  static constexpr Tables kTables = make_tables();
  for (; size >= 8; at += 8, size -= 8) {
    const uint64_t word = load64(at) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; size > 0; ++at, --size) crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 0xFF];
  return crc;
}

namespace {

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t by_instruction(const unsigned char* at, size_t size,
                                                          uint32_t crc) {
  uint64_t wide = crc;
  for (; size >= 8; at += 8, size -= 8) wide = _mm_crc32_u64(wide, load64(at));
  crc = static_cast<uint32_t>(wide);
  for (; size > 0; ++at, --size) crc = _mm_crc32_u8(crc, *at);
  return crc;
}
#endif

using Update = uint32_t (*)(const unsigned char*, size_t, uint32_t);

Update best_update() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return by_instruction;
#endif
  return crc32c_by_tables;
}

}  // namespace

uint32_t crc32c(const void* bytes, size_t size, uint32_t crc) {
  static const Update update = best_update();
  return ~update(static_cast<const unsigned char*>(bytes), size, ~crc);
}

uint32_t masked_crc32c(const void* bytes, size_t size) {
  const uint32_t crc = crc32c(bytes, size);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

std::string xxh128(const void* bytes, size_t size) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, size));
  return hexadecimal({reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest});
}

}  // namespace broch::base
