// hash.hpp: a 64-bit hash that is the same on every machine and in every version.
#pragma once
#include <cstdint>
#include <string_view>

namespace broch::base {

// XXH3 with 64 bits and a seed. It must never change, because the keys of random streams are made
// with it.
uint64_t hash64(std::string_view bytes, uint64_t seed = 0);
// Hashes the eight bytes of `number`, least significant byte first. With an earlier hash as the
// seed, it continues that hash.
uint64_t hash64(uint64_t number, uint64_t seed);

}  // namespace broch::base
