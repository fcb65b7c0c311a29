// permutation_test.cpp: the order of shuffle is a fair permutation.
#include "permutation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

TEST_CASE("permutation: every number once; few numbers in all orders, equally often") {
  for (uint64_t n = 1; n < 2000; n += n < 200 ? 1 : 61) {
    std::set<uint64_t> seen;
    const dataflows::Permutation order(n, n);
    for (uint64_t i = 0; i < n; ++i) seen.insert(order(i));
    CHECK(seen.size() == n);
    CHECK(*seen.rbegin() == n - 1);
  }
  // Chi-square tests, with a limit that fair orders exceed once in a million: df + 5 sqrt(2 df).
  const auto limit = [](double df) { return df + 5 * std::sqrt(2 * df); };
  std::map<std::vector<uint64_t>, int> orders;
  for (uint64_t key = 0; key < 24'000; ++key) {
    const dataflows::Permutation order(4, key);
    ++orders[{order(0), order(1), order(2), order(3)}];
  }
  double sum = 0;
  for (const auto& [order, times] : orders) sum += (times - 1000.0) * (times - 1000.0) / 1000;
  CHECK(orders.size() == 24);
  CHECK(sum < limit(23));
  // Which numbers stand at two neighboring places.
  for (const uint64_t n : {64, 65, 71, 100}) {
    CAPTURE(n);
    std::vector<int> pairs(n * n);
    const uint64_t keys = n * n * 20;
    for (uint64_t key = 0; key < keys; ++key) {
      const dataflows::Permutation order(n, key);
      const uint64_t i = key % (n - 1);
      ++pairs[order(i) * n + order(i + 1)];
    }
    const double fair = double(keys) / double(n * (n - 1));
    double chi = 0;
    for (uint64_t i = 0; i < n * n; ++i)
      if (i / n != i % n) chi += (pairs[i] - fair) * (pairs[i] - fair) / fair;
    CHECK(chi < limit(double(n * (n - 1) - 1)));
  }
}
