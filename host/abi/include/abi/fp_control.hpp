// fp_control.hpp: rounding, flush-to-zero and exception masks of this thread.
//
// A plugin that leaves them changed would change every number that is computed after it.
#pragma once
#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace broch::abi {

struct FpControl {
  uint32_t simd = 0;
  uint16_t x87 = 0;

  static FpControl now() {
    FpControl control;
#if defined(__x86_64__)
    control.simd = _mm_getcsr() & ~kStatusFlags;
    __asm__ volatile("fnstcw %0" : "=m"(control.x87));
#else
    control.simd = static_cast<uint32_t>(std::fegetround());
#endif
    return control;
  }

  void restore() const {
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & kStatusFlags) | simd);
    __asm__ volatile("fldcw %0" : : "m"(x87));
#else
    std::fesetround(static_cast<int>(simd));
#endif
  }

  bool operator==(const FpControl&) const = default;

 private:
  static constexpr uint32_t kStatusFlags = 0x3F;  // what happened, not what shall happen
};

}  // namespace broch::abi
