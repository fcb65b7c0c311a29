// sha256.hpp: the checksum of FIPS 180-4, by which downloaded files are recognized.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace broch::base {

class Sha256 {
 public:
  void add(const void* bytes, size_t size);
  std::string finish();  // 64 hexadecimal digits; once

 private:
  void block(const unsigned char* bytes);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};  // the bytes of the block that is not complete
  uint64_t size_ = 0;                     // of all bytes
};

}  // namespace broch::base
