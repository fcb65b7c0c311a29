// checksum.hpp: CRC-32C for records and checkpoints, XXH3 for fingerprints.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace broch::base {

// CRC-32C (Castagnoli, RFC 3720 appendix B.4). `crc` is the result for the bytes before these; 0
// for the first bytes. The CRC of "123456789" is 0xE3069283.
uint32_t crc32c(const void* bytes, size_t size, uint32_t crc = 0);
// The masked CRC of TensorFlow's record format: rotated right by 15 bits, plus 0xA282EAD8.
uint32_t masked_crc32c(const void* bytes, size_t size);
// The 128-bit XXH3 hash as 32 hexadecimal digits.
std::string xxh128(const void* bytes, size_t size);

}  // namespace broch::base
