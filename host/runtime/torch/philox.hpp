// philox.hpp: Philox4x32-10: any word of any stream without the words before it.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once
#include <array>
#include <cstdint>

#include "runtime/backend.hpp"

namespace broch::runtime {

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

// The words of one draw, in order.
class PhiloxStream {
 public:
  explicit PhiloxStream(DrawKey key) : key_(key) {}

  uint32_t word() {
    if (used_ == 4) refill();
    return block_[used_++];
  }
  // In [0, 1), with 24 or 53 random bits.
  double uniform24() { return (word() >> 8) * 0x1p-24; }
  double uniform53() {
    const uint64_t high = word() >> 5, low = word() >> 6;
    return static_cast<double>(high << 26 | low) * 0x1p-53;
  }

 private:
  void refill() {
    block_ = philox(
        key_.key, {static_cast<uint32_t>(next_), static_cast<uint32_t>(next_ >> 32),
                   static_cast<uint32_t>(key_.counter), static_cast<uint32_t>(key_.counter >> 32)});
    ++next_;
    used_ = 0;
  }

  DrawKey key_;
  uint64_t next_ = 0;
  PhiloxBlock block_{};
  size_t used_ = 4;
};

}  // namespace broch::runtime
