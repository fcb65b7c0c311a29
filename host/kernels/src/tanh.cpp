// tanh.cpp: the hyperbolic tangent from one exponential, or a polynomial where that would cancel.
#include "kernels/tanh.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tanh.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exp-inl.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE F tanh_of(F x) {
  constexpr float kSmall = 0.63f, kBeyond = 20;  // beyond it, the result is 1
  const F size = hn::Abs(x), square = hn::Mul(x, x);
  // x + x^3 p(x^2), with the least relative error where x^2 < 0.4, 5e-9.
  F sum = set(-5.66078903e-3f);
  sum = hn::MulAdd(sum, square, set(2.06020077e-2f));
  sum = hn::MulAdd(sum, square, set(-5.372923e-2f));
  sum = hn::MulAdd(sum, square, set(0.13331329f));
  sum = hn::MulAdd(sum, square, set(-0.333332783f));
  const F small = hn::MulAdd(hn::Mul(sum, square), x, x);
  const F inside = hn::IfThenElse(hn::Gt(size, set(kBeyond)), set(kBeyond), size);
  const F power = exp_of(hn::Add(inside, inside));
  const F large = hn::Sub(set(1), hn::Div(set(2), hn::Add(power, set(1))));
  return hn::CopySign(hn::IfThenElse(hn::Lt(size, set(kSmall)), small, large), x);
}

void tanh(const float* x, float* y, int64_t size) {
  sweep(size,
        [=](auto load, auto store, int64_t at) HWY_ATTR { store(tanh_of(load(x + at)), y + at); });
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void tanh(const float* x, float* y, int64_t size) noexcept { BROCH_KERNEL(tanh)(x, y, size); }

}  // namespace broch::kernels
#endif
