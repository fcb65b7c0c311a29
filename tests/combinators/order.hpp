// order.hpp: whose turn it is in mix and choose, by the classes that these use. order_test.cpp
// tests them. Apart, since the C++ layer of plugins and the headers of the host do not go together.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace broch::test {

struct Place {
  size_t child;
  uint64_t index;
};

// A whole round of mix. weights: empty, or one for each of sizes.
std::vector<Place> mixed_round(const std::vector<double>& weights,
                               const std::vector<uint64_t>& sizes, uint64_t seed, uint64_t round);
// Which of n dataflows choose chooses at a place.
size_t chosen_dataflow(size_t n, uint64_t seed, uint64_t round, uint64_t place);

}  // namespace broch::test
