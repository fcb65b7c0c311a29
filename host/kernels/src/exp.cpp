// exp.cpp: the exponential of an array.
#include "kernels/exp.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exp.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

void exponential(const float* x, float* y, int64_t size) {
  sweep(size,
        [=](auto load, auto store, int64_t at) HWY_ATTR { store(exp_of(load(x + at)), y + at); });
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void exponential(const float* x, float* y, int64_t size) noexcept {
  BROCH_KERNEL(exponential)(x, y, size);
}

}  // namespace broch::kernels
#endif
