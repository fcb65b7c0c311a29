// interleaving.hpp: the order in which points of several dataflows alternate, by weights.
//
// Among the first t points, each dataflow has its share of t, up to rounding: dataflow 0 is spread
// evenly among all points, dataflow 1 evenly among the remaining points, and so on. So the share
// has a formula, and each index can be computed without those before it. The order within each
// block of 64 points is then shuffled, so that a shard of every n-th point does not always get the
// same dataflow.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <vector>

namespace broch::dataflows {

// Point `index` of dataflow `child`.
struct Turn {
  size_t child = 0;
  uint64_t index = 0;
};

class Interleaving {
 public:
  static constexpr uint64_t kBlock = 64;
  static constexpr uint64_t kEndless = uint64_t{1} << 62;

  Interleaving() = default;
  // weights: their ratios are the shares. A sum of at most 2^63.
  Interleaving(std::vector<uint64_t> weights, uint64_t seed)
      : weights_(std::move(weights)), sums_(weights_), seed_(seed) {
    for (size_t i = sums_.size() - 1; i > 0; --i) sums_[i - 1] += sums_[i];
  }

  // How many of the first t points are of each dataflow.
  std::vector<uint64_t> counts(uint64_t t) const {
    __extension__ typedef unsigned __int128 Wide;
    std::vector<uint64_t> counts(weights_.size());
    for (size_t i = 0; i < weights_.size() && sums_[i] > 0; ++i) {
      counts[i] = uint64_t((Wide(t) * weights_[i] + sums_[i] / 2) / sums_[i]);
      t -= counts[i];
    }
    return counts;
  }

  // The most points before a dataflow would be asked for more than it has. No size: endless.
  uint64_t length(const std::vector<std::optional<int64_t>>& sizes) const {
    uint64_t low = 0, high = sums_[0] ? kEndless : 0;
    while (low < high) {
      const uint64_t middle = low + (high - low + 1) / 2;
      const std::vector<uint64_t> used = counts(middle);
      bool enough = true;
      for (size_t i = 0; i < used.size(); ++i)
        enough = enough && (!sizes[i] || used[i] <= uint64_t(*sizes[i]));
      if (enough)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  // Whose turn it is at place t of a round of this length.
  Turn turn(uint64_t round, uint64_t t, uint64_t length) const {
    const uint64_t begin = t - t % kBlock, end = std::min(begin + kBlock, length);
    const std::vector<uint64_t> before = counts(begin), after = counts(end);
    std::vector<size_t> order;
    for (size_t i = 0; i < before.size(); ++i)
      order.insert(order.end(), size_t(after[i] - before[i]), i);
    Draws draws(mixed(mixed(seed_, round), begin));
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
    const size_t child = order[t - begin];
    const auto earlier = std::count(order.begin(), order.begin() + int64_t(t - begin), child);
    return {child, before[child] + uint64_t(earlier)};
  }

 private:
  std::vector<uint64_t> weights_, sums_;  // sums_[i]: of weights_[i] and those behind it
  uint64_t seed_ = 0;
};

// Weights as integers; the largest becomes 2^32.
inline std::vector<uint64_t> whole_weights(const std::vector<double>& weights) {
  const double largest = *std::max_element(weights.begin(), weights.end());
  std::vector<uint64_t> whole;
  for (const double weight : weights)
    whole.push_back(std::max<uint64_t>(1, uint64_t(std::llround(weight / largest * 0x1p32))));
  return whole;
}

}  // namespace broch::dataflows
