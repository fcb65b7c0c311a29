// order.cpp: whose turn it is.
#include "order.hpp"

#include "dataflows/combinators/choices.hpp"

namespace broch::test {

std::vector<Place> mixed_round(const std::vector<double>& weights,
                               const std::vector<uint64_t>& sizes, uint64_t seed, uint64_t round) {
  const dataflows::Interleaving order(weights.empty() ? sizes : dataflows::whole_weights(weights),
                                      seed);
  const uint64_t length = order.length({sizes.begin(), sizes.end()});
  std::vector<Place> places;
  for (uint64_t t = 0; t < length; ++t) {
    const dataflows::Turn turn = order.turn(round, t, length);
    places.push_back({turn.child, turn.index});
  }
  return places;
}

size_t chosen_dataflow(size_t n, uint64_t seed, uint64_t round, uint64_t place) {
  return dataflows::Choices(std::vector<double>(n, 1), seed).child_at(round, place);
}

}  // namespace broch::test
