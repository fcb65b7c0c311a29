// hash.cpp: XXH3 from the xxHash library.
#include "base/hash.hpp"

#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace broch::base {

uint64_t hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t hash64(uint64_t number, uint64_t seed) {
  std::array<char, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  return hash64(std::string_view(bytes.data(), bytes.size()), seed);
}

}  // namespace broch::base
