// philox.hpp: the random generator Philox4x32-10. It can compute any word of a stream without the
// words before it.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace broch::base {

using PhiloxBlock = std::array<uint32_t, 4>;

inline PhiloxBlock philox(uint64_t key, PhiloxBlock x) {
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

// One stream of random words. Each pair of key and counter gives a different stream.
class PhiloxStream {
 public:
  PhiloxStream(uint64_t key, uint64_t counter) : key_(key), counter_(counter) {}

  uint32_t word() {
    if (used_ == 4) refill();
    return block_[used_++];
  }
  uint64_t word64() {
    const uint64_t low = word();
    return uint64_t{word()} << 32 | low;
  }
  // In [0, 1): the first with 24 random bits, the second with 53.
  double uniform24() { return (word() >> 8) * 0x1p-24; }
  double uniform53() {
    const uint64_t high = word() >> 5, low = word() >> 6;
    return static_cast<double>(high << 26 | low) * 0x1p-53;
  }
  // In [0, n), for n of at least 1. The range of word64 does not divide into n equal parts, so
  // numbers from the incomplete part at the end are drawn again.
  uint64_t below(uint64_t n) {
    const uint64_t end = UINT64_MAX - UINT64_MAX % n;
    uint64_t draw = word64();
    while (draw >= end) draw = word64();
    return draw % n;
  }

 private:
  void refill() {
    block_ = philox(key_, {static_cast<uint32_t>(next_), static_cast<uint32_t>(next_ >> 32),
                           static_cast<uint32_t>(counter_), static_cast<uint32_t>(counter_ >> 32)});
    ++next_;
    used_ = 0;
  }

  uint64_t key_, counter_;
  uint64_t next_ = 0;
  PhiloxBlock block_{};
  size_t used_ = 4;
};

// Normal deviates by the method of Box and Muller, which makes two at a time; both are used.
class NormalDraws {
 public:
  explicit NormalDraws(PhiloxStream& stream) : stream_(stream) {}
  double next() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - stream_.uniform53()));
    const double angle = 2 * std::numbers::pi * stream_.uniform53();
    second_ = radius * std::sin(angle);
    has_second_ = true;
    return radius * std::cos(angle);
  }

 private:
  PhiloxStream& stream_;
  double second_ = 0;
  bool has_second_ = false;
};

}  // namespace broch::base
