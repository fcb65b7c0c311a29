// fp_control.hpp: the rounding mode, flush-to-zero and exception masks of this thread.
//
// If a plugin left them changed, every number that is computed after it would change.
#pragma once
#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace broch::base {

// Stores the registers as the processor gives them, because they are read twice around every call
// into a plugin. The status flags are left out of comparisons.
class FpControl {
 public:
  // Reads the current state.
  FpControl() {
#if defined(__x86_64__)
    __asm__ volatile("stmxcsr %0" : "=m"(simd_));
    __asm__ volatile("fnstcw %0" : "=m"(x87_));
#else
    simd_ = static_cast<uint32_t>(std::fegetround());
#endif
  }

  void restore() const {
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & kStatusFlags) | simd());
    __asm__ volatile("fldcw %0" : : "m"(x87_));
#else
    std::fesetround(static_cast<int>(simd_));
#endif
  }

  uint32_t simd() const { return simd_ & ~kStatusFlags; }
  uint32_t x87() const { return x87_; }
  bool operator==(const FpControl& other) const {
    return simd() == other.simd() && x87_ == other.x87_;
  }

 private:
#if defined(__x86_64__)
  static constexpr uint32_t kStatusFlags = 0x3F;  // they report events and control nothing
#else
  static constexpr uint32_t kStatusFlags = 0;
#endif
  uint32_t simd_ = 0;
  uint16_t x87_ = 0;
};

}  // namespace broch::base
