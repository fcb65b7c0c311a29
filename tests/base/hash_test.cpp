// hash_test.cpp: the hash is XXH3 and stays it.
#include "base/hash.hpp"

#include <doctest/doctest.h>

using broch::base::hash64;

TEST_CASE("hash: the empty text has XXH3's published value, and seed and length matter") {
  CHECK(hash64("") == 0x2D06800538D394C2u);  // source: xxHash's XXH3 sanity vectors, length 0
  CHECK(hash64("", 1) != hash64(""));
  CHECK(hash64("a", 1) != hash64("b", 1));
}

TEST_CASE("hash: a number is hashed as its eight bytes, lowest first") {
  CHECK(hash64(uint64_t{0x0807060504030201}, 5) == hash64("\x01\x02\x03\x04\x05\x06\x07\x08", 5));
}
