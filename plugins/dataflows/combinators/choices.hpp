// choices.hpp: a random choice among several dataflows at each index of a round.
//
// The choice depends only on seed, round and index. Which point of the chosen dataflow it is
// depends on how often this dataflow was chosen before. So the counts at every 256th index are
// stored for the last rounds.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

#include "interleaving.hpp"

namespace broch::dataflows {

class Choices {
 public:
  Choices(const std::vector<double>& weights, uint64_t seed) : sums_(weights), seed_(seed) {
    for (size_t i = 1; i < sums_.size(); ++i) sums_[i] += sums_[i - 1];
    if (!std::isfinite(sums_.back()))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/weights: found weights whose sum is too large for a number, expected a finite "
                  "sum: only ratios count, so divide them all");
  }
  // No size: endless. Called before turn.
  void set_sizes(std::vector<std::optional<int64_t>> sizes) { sizes_ = std::move(sizes); }

  size_t child_at(uint64_t round, uint64_t place) const {
    Draws draws(mixed(mixed(seed_, round), place));
    const double at = draws.uniform() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    return std::min(size_t(found - sums_.begin()), sums_.size() - 1);
  }

  // Whose turn it is. No value: the round has ended before this place, since a dataflow was chosen
  // that had no more points. Any thread.
  std::optional<Turn> turn(uint64_t round, uint64_t place) {
    std::vector<uint64_t> counts;
    if (!counts_at_block(round, place / kBlock, counts)) return std::nullopt;
    for (uint64_t at = place - place % kBlock;; ++at) {
      const size_t child = child_at(round, at);
      if (is_used_up(child, counts)) return std::nullopt;
      if (at == place) return Turn{child, counts[child]};
      ++counts[child];
    }
  }

 private:
  static constexpr uint64_t kBlock = 256;
  static constexpr size_t kRounds = 2;  // readers ahead are in the next round already

  bool is_used_up(size_t child, const std::vector<uint64_t>& counts) const {
    return sizes_[child] && counts[child] >= uint64_t(*sizes_[child]);
  }

  // False: the round ends before this block.
  bool counts_at_block(uint64_t round, uint64_t block, std::vector<uint64_t>& counts) {
    const std::lock_guard lock(mutex_);
    std::vector<std::vector<uint64_t>>& blocks = rounds_[round];
    if (blocks.empty()) blocks.emplace_back(sums_.size());
    while (blocks.size() <= block) {
      std::vector<uint64_t> next = blocks.back();
      const uint64_t begin = (blocks.size() - 1) * kBlock;
      for (uint64_t at = begin; at < begin + kBlock; ++at) {
        const size_t child = child_at(round, at);
        if (is_used_up(child, next)) return false;
        ++next[child];
      }
      blocks.push_back(std::move(next));
    }
    counts = blocks[block];
    while (rounds_.size() > kRounds)
      rounds_.erase(rounds_.begin()->first == round ? std::next(rounds_.begin()) : rounds_.begin());
    return true;
  }

  std::vector<double> sums_;  // of the weights up to this one
  uint64_t seed_;
  std::vector<std::optional<int64_t>> sizes_;
  std::mutex mutex_;
  std::map<uint64_t, std::vector<std::vector<uint64_t>>> rounds_;  // of each block, by child
};

}  // namespace broch::dataflows
