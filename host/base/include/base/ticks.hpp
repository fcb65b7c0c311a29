// ticks.hpp: a clock that costs one instruction, for timing every hook of every step.
#pragma once
#include <chrono>
#include <cstdint>

namespace broch::base {

inline uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();  // avoids <x86intrin.h>, which has 57,000 lines
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Converts ticks to seconds. It compares the ticks with the steady clock since its own
// construction.
class TickRate {
 public:
  double seconds(uint64_t count) const {
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    const uint64_t passed = ticks() - start_ticks_;
    return passed == 0 ? 0
                       : elapsed.count() * static_cast<double>(count) / static_cast<double>(passed);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  uint64_t start_ticks_ = ticks();
};

}  // namespace broch::base
