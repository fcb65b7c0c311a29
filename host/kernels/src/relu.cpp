// relu.cpp: rectifiers and sums.
#include "kernels/relu.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// Keeps -0, like at::relu.
HWY_INLINE F rectified(F x) { return hn::IfThenZeroElse(hn::Lt(x, set(0)), x); }

void relu(const float* x, float* y, int64_t size) {
  sweep(size, [=](auto load, auto store, int64_t at)
                  HWY_ATTR { store(rectified(load(x + at)), y + at); });
}

void threshold_backward(const float* dy, const float* x, float threshold, float* dx, int64_t size) {
  const F limit = set(threshold);
  sweep(size, [=](auto load, auto store, int64_t at) HWY_ATTR {
    store(hn::IfThenZeroElse(hn::Le(load(x + at), limit), load(dy + at)), dx + at);
  });
}

void add(const float* a, const float* b, float* sum, int64_t size) {
  sweep(size, [=](auto load, auto store, int64_t at)
                  HWY_ATTR { store(hn::Add(load(a + at), load(b + at)), sum + at); });
}

void add_relu(const float* a, const float* b, float* y, int64_t size) {
  sweep(size, [=](auto load, auto store, int64_t at)
                  HWY_ATTR { store(rectified(hn::Add(load(a + at), load(b + at))), y + at); });
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void relu(const float* x, float* y, int64_t size) noexcept { BROCH_KERNEL(relu)(x, y, size); }

void threshold_backward(const float* dy, const float* x, float threshold, float* dx,
                        int64_t size) noexcept {
  BROCH_KERNEL(threshold_backward)(dy, x, threshold, dx, size);
}

void add(const float* a, const float* b, float* sum, int64_t size) noexcept {
  BROCH_KERNEL(add)(a, b, sum, size);
}

void add_relu(const float* a, const float* b, float* y, int64_t size) noexcept {
  BROCH_KERNEL(add_relu)(a, b, y, size);
}

}  // namespace broch::kernels
#endif
