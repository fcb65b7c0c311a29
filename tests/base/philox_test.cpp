// philox_test.cpp: known answers, and numbers below a bound.
#include "base/philox.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace broch::base;

// Known answers of the paper's library (Random123, kat_vectors).
TEST_CASE("philox: known answers") {
  CHECK(philox(0, {0, 0, 0, 0}) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox(~uint64_t{0}, {~0u, ~0u, ~0u, ~0u}) ==
        PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox(0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
        PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: below gives each number about as often, and only those") {
  PhiloxStream stream(1, 2);
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) ++counts.at(stream.below(6));
  for (const int count : counts) CHECK(std::abs(count - 10000) < 500);
  CHECK(stream.below(1) == 0);
  // More than half of all words are redrawn here.
  for (int i = 0; i < 100; ++i) CHECK(stream.below((uint64_t{1} << 63) + 1) <= uint64_t{1} << 63);
}
