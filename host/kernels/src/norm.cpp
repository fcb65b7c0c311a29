// norm.cpp: sums of squares in independent registers, and scaling.
#include "kernels/norm.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// Four independent sums, because each addition waits for the one before it.
HWY_INLINE float block_sum(const float* from, int64_t size) {
  const int64_t step = lanes();
  F sums[4] = {set(0), set(0), set(0), set(0)};
  int64_t at = 0;
  for (; at + 4 * step <= size; at += 4 * step) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const F x = load(from + at + i * step);
      sums[i] = hn::MulAdd(x, x, sums[i]);
    }
  }
  sweep(size - at, [&](auto part, auto, int64_t rest) HWY_ATTR {
    const F x = part(from + at + rest);
    sums[0] = hn::MulAdd(x, x, sums[0]);
  });
  return sum_of(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])));
}

double sum_of_squares(const float* from, int64_t size) {
  constexpr int64_t kBlock = 4096;
  double sum = 0;
  for (int64_t at = 0; at < size; at += kBlock)
    sum += static_cast<double>(block_sum(from + at, size - at < kBlock ? size - at : kBlock));
  return sum;
}

void scale(const float* from, float factor, float* to, int64_t size) {
  const F by = set(factor);
  sweep(size, [=](auto part, auto keep, int64_t at)
                  HWY_ATTR { keep(hn::Mul(part(from + at), by), to + at); });
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

double sum_of_squares(const float* from, int64_t size) noexcept {
  return BROCH_KERNEL(sum_of_squares)(from, size);
}

void scale(const float* from, float factor, float* to, int64_t size) noexcept {
  BROCH_KERNEL(scale)(from, factor, to, size);
}

}  // namespace broch::kernels
#endif
