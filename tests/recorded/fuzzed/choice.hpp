// choice.hpp: the decisions of a random program, the same in every call of its tower function.
#pragma once
#include <cstdint>

namespace broch::fuzzed {

// SplitMix64 (Steele, Lea, Flood 2014).
class Choice {
 public:
  explicit Choice(uint64_t seed) : state_(seed) {}

  // A number from 0 to n - 1.
  uint64_t below(uint64_t n) { return next() % n; }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
  }
  bool one_in(uint64_t n) { return below(n) == 0; }

 private:
  uint64_t next() {
    uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

}  // namespace broch::fuzzed
