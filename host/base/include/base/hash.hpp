// hash.hpp: a 64-bit hash that is the same on every machine and in every version.
#pragma once
#include <cstdint>
#include <string_view>

namespace broch::base {

// XXH3, 64 bits, with a seed. Keys of random draws are made with it: it never changes.
uint64_t hash64(std::string_view bytes, uint64_t seed = 0);
// Continues a hash with a number, taken as its eight bytes, lowest first.
uint64_t hash64(uint64_t number, uint64_t seed);

}  // namespace broch::base
