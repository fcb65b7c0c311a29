// draws.hpp: random numbers from a seed, for transforms.
#pragma once
#include "../draws.h"

namespace broch {
inline namespace v0 {

// A hash of two numbers, such as the key of a point and the number of a round.
inline uint64_t mixed(uint64_t a, uint64_t b) { return broch_mixed(a, b); }

// A stream of random numbers. The same seed always gives the same numbers; see draws.h.
class Draws {
 public:
  explicit Draws(uint64_t seed) : draws_(broch_draws_of(seed)) {}
  uint64_t bits() { return broch_draw_bits(&draws_); }
  // In [0, 1).
  double uniform() { return broch_draw_uniform(&draws_); }
  // In [low, high).
  double between(double low, double high) { return broch_draw_between(&draws_, low, high); }
  // An integer in [0, bound); bound is at least 1.
  uint64_t below(uint64_t bound) { return broch_draw_below(&draws_, bound); }
  // An integer in [low, high], both included.
  int64_t integer(int64_t low, int64_t high) {
    const uint64_t width = uint64_t(high) - uint64_t(low);
    const uint64_t drawn = width == UINT64_MAX ? bits() : below(width + 1);
    return int64_t(uint64_t(low) + drawn);
  }
  // True with this probability.
  bool chance(double probability) { return uniform() < probability; }
  // Mean 0 and variance 1.
  double normal() { return broch_draw_normal(&draws_); }

 private:
  broch_draws draws_;
};

}  // namespace v0
}  // namespace broch
