// order_test.cpp: whose turn it is in mix and choose.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "dataflows/combinators/choices.hpp"

using namespace broch::dataflows;

namespace {

using Sizes = std::vector<std::optional<int64_t>>;

// Each dataflow's points come in their order, without gaps; the shares of each prefix of whole
// blocks are those of the weights, up to one point for each dataflow before this one.
void check_order(const std::vector<uint64_t>& weights, uint64_t length, uint64_t round) {
  const Interleaving order(weights, 5);
  double sum = 0;
  for (const uint64_t weight : weights) sum += double(weight);
  std::vector<uint64_t> used(weights.size());
  for (uint64_t t = 0; t < length; ++t) {
    const Turn turn = order.turn(round, t, length);
    REQUIRE(turn.index == used[turn.child]);
    ++used[turn.child];
    if ((t + 1) % Interleaving::kBlock != 0 && t + 1 != length) continue;
    for (size_t i = 0; i < used.size(); ++i)
      CHECK(std::abs(double(used[i]) - double(t + 1) * double(weights[i]) / sum) <= 1 + double(i));
  }
}

}  // namespace

TEST_CASE("interleaving: each dataflow in its order, and in each block its share") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) {
    std::vector<uint64_t> weights;
    for (uint64_t n = 1 + random() % 5; n > 0; --n) weights.push_back(1 + random() % 1000);
    check_order(weights, 1 + random() % 1000, random() % 3);
  }
  check_order({1, uint64_t{1} << 32, 77}, 700, 0);
}

TEST_CASE("interleaving: with the sizes as weights, each point comes once") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    std::vector<uint64_t> weights;
    Sizes sizes;
    uint64_t sum = 0;
    for (uint64_t n = 1 + random() % 6; n > 0; --n) {
      weights.push_back(random() % 100);
      sizes.emplace_back(weights.back());
      sum += weights.back();
    }
    const Interleaving order(weights, 5);
    CHECK(order.length(sizes) == sum);
    if (sum > 0) CHECK(order.counts(sum) == weights);
  }
}

TEST_CASE("interleaving: the length ends with the first dataflow, or never") {
  const Interleaving order({1, 3}, 5);
  for (const Sizes& sizes : {Sizes{10, 1000}, Sizes{1000, 10}, Sizes{{}, 10}, Sizes{0, 7}}) {
    const uint64_t length = order.length(sizes);
    const auto fits = [&](uint64_t t) {
      for (size_t i = 0; i < 2; ++i)
        if (sizes[i] && order.counts(t)[i] > uint64_t(*sizes[i])) return false;
      return true;
    };
    CHECK(fits(length));
    CHECK_FALSE(fits(length + 1));
  }
  CHECK(order.length({{}, {}}) == Interleaving::kEndless);
  // Far into an endless round, nothing overflows.
  const Turn turn = order.turn(9, (uint64_t{1} << 61) + 5, Interleaving::kEndless);
  CHECK(turn.index > uint64_t{1} << 58);
}

TEST_CASE("interleaving: another order in another round and with another seed") {
  const Interleaving order({1, 1}, 5), other({1, 1}, 6);
  const auto children = [](const Interleaving& of, uint64_t round) {
    std::vector<size_t> list;
    for (uint64_t t = 0; t < 64; ++t) list.push_back(of.turn(round, t, 1000).child);
    return list;
  };
  CHECK(children(order, 0) == children(order, 0));
  CHECK(children(order, 0) != children(order, 1));
  CHECK(children(order, 0) != children(other, 0));
}

TEST_CASE("choices: any order of questions gives the turns of counting from the beginning") {
  std::mt19937_64 random(3);
  Choices choices({1, 2, 0.5}, 5);
  choices.set_sizes({400, 5000, {}});
  for (const uint64_t round : {0, 1, 7, 1}) {
    std::vector<uint64_t> used(3);
    std::vector<std::optional<Turn>> turns;
    for (uint64_t t = 0; t < 2000; ++t) {
      const size_t child = choices.child_at(round, t);
      if ((child == 0 && used[0] == 400) || (!turns.empty() && !turns.back()))
        turns.emplace_back();
      else
        turns.emplace_back(Turn{child, used[child]++});
    }
    CHECK_FALSE(turns.back());
    for (int i = 0; i < 500; ++i) {
      const uint64_t t = random() % turns.size();
      const auto turn = choices.turn(round, t);
      REQUIRE(bool(turn) == bool(turns[t]));
      if (!turn) continue;
      CHECK(turn->child == turns[t]->child);
      CHECK(turn->index == turns[t]->index);
    }
  }
}

TEST_CASE("choices: dataflows are chosen as often as their weights say") {
  const Choices choices({1, 3}, 5);
  int second = 0;
  for (uint64_t t = 0; t < 10000; ++t) second += choices.child_at(0, t) == 1;
  CHECK(std::abs(second - 7500) < 200);  // more than 4 standard deviations
}
