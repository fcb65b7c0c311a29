// gelu.cpp: both forms of the Gaussian error linear unit.
#include "kernels/gelu.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gelu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exp-inl.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// 1 / x to one or two ulps for 1 <= x < 1e36. An estimate and one step of Newton's method take a
// third of the time of a division.
HWY_INLINE F reciprocal(F x) {
  const F estimate = hn::ApproximateReciprocal(x);
  return hn::Mul(estimate, hn::NegMulAdd(x, estimate, set(2)));
}

// The normal distribution function at x, and exp(-x^2 / 2).
struct Normal {
  F distribution, bell;
};

// Abramowitz and Stegun 7.1.26 at |x| / sqrt(2): erf = 1 - (a1 t + ... + a5 t^5) exp(-x^2 / 2).
HWY_INLINE Normal normal_of(F x) {
  const F bell = exp_of(hn::Mul(set(-0.5f), hn::Mul(x, x)));
  const F t = reciprocal(
      hn::MulAdd(hn::Min(hn::Abs(x), set(1e30f)), set(0.3275911f * 0.70710678f), set(1)));
  F sum = set(1.061405429f);
  sum = hn::MulAdd(sum, t, set(-1.453152027f));
  sum = hn::MulAdd(sum, t, set(1.421413741f));
  sum = hn::MulAdd(sum, t, set(-0.284496736f));
  sum = hn::MulAdd(sum, t, set(0.254829592f));
  const F upper = hn::Mul(set(0.5f), hn::Mul(hn::Mul(sum, t), bell));  // the tail beyond |x|
  return {hn::IfThenElse(hn::Lt(x, set(0)), upper, hn::Sub(set(1), upper)), bell};
}

constexpr float kRate = 1.5957691216f;  // 2 sqrt(2 / pi)
constexpr float kCubic = 0.044715f;

// (1 + tanh(u)) / 2 = 1 / (1 + power) with power = exp(-2 u)
struct Sigmoid {
  F value, power;
};

HWY_INLINE Sigmoid sigmoid_of(F x) {
  constexpr float kBeyond = 80;  // exp(80) is 6e34, whose reciprocal times x is negligible
  const F inner = hn::MulAdd(hn::Mul(hn::Mul(x, x), x), set(kCubic), x);
  const F power = exp_of(hn::Min(hn::Mul(set(-kRate), inner), set(kBeyond)));
  return {reciprocal(hn::Add(set(1), power)), power};
}

void gelu(Gelu form, const float* x, float* y, int64_t size) {
  if (form == Gelu::erf) {
    sweep(size, [=](auto load, auto store, int64_t at) HWY_ATTR {
      const F value = load(x + at);
      store(hn::Mul(value, normal_of(value).distribution), y + at);
    });
  } else {
    sweep(size, [=](auto load, auto store, int64_t at) HWY_ATTR {
      const F value = load(x + at);
      store(hn::Mul(value, sigmoid_of(value).value), y + at);
    });
  }
}

HWY_INLINE F erf_slope(F x) {
  const Normal normal = normal_of(x);
  return hn::MulAdd(hn::Mul(x, set(0.3989422804f)), normal.bell, normal.distribution);
}

HWY_INLINE F tanh_slope(F x) {
  const Sigmoid sigmoid = sigmoid_of(x);
  const F inner = hn::MulAdd(hn::Mul(x, x), set(3 * kCubic * kRate), set(kRate));
  // s (1 - s), without the rounding error of 1 - s where s is nearly 1.
  const F bend = hn::Mul(sigmoid.value, hn::Mul(sigmoid.value, sigmoid.power));
  return hn::MulAdd(hn::Mul(x, inner), bend, sigmoid.value);
}

void gelu_backward(Gelu form, const float* dy, const float* x, float* dx, int64_t size) {
  if (form == Gelu::erf) {
    sweep(size, [=](auto load, auto store, int64_t at)
                    HWY_ATTR { store(hn::Mul(load(dy + at), erf_slope(load(x + at))), dx + at); });
  } else {
    sweep(size, [=](auto load, auto store, int64_t at)
                    HWY_ATTR { store(hn::Mul(load(dy + at), tanh_slope(load(x + at))), dx + at); });
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void gelu(Gelu form, const float* x, float* y, int64_t size) noexcept {
  BROCH_KERNEL(gelu)(form, x, y, size);
}

void gelu_backward(Gelu form, const float* dy, const float* x, float* dx, int64_t size) noexcept {
  BROCH_KERNEL(gelu_backward)(form, dy, x, dx, size);
}

}  // namespace broch::kernels
#endif
