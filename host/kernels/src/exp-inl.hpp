// exp-inl.hpp: the exponential of a vector.
#if defined(BROCH_KERNELS_EXP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_EXP_INL_HPP
#undef BROCH_KERNELS_EXP_INL_HPP
#else
#define BROCH_KERNELS_EXP_INL_HPP
#endif
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// mantissa * 2^exponent, for an integer exponent from -151 to 129, rounded once.
HWY_INLINE F scaled(F mantissa, F exponent) {
#if HWY_TARGET == HWY_AVX3
  return F{_mm512_scalef_ps(mantissa.raw, exponent.raw)};
#else
  const hn::RebindToSigned<Floats> whole;
  const auto power_of = [=](auto k) HWY_ATTR {
    return hn::BitCast(kFloats, hn::ShiftLeft<23>(hn::Add(k, hn::Set(whole, 127))));
  };
  const auto all = hn::ConvertTo(whole, exponent), half = hn::ShiftRight<1>(all);
  return hn::Mul(hn::Mul(mantissa, power_of(half)), power_of(hn::Sub(all, half)));
#endif
}

// Limits x to the range outside of which all results are 0 or infinite; NaN stays NaN.
HWY_INLINE F limited(F x) {
  const F low = set(-104), high = set(89);
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Lt(x, low), low, hn::IfThenElse(hn::Gt(x, high), high, x));
#else
  return hn::Max(low, hn::Min(high, x));  // if one operand is NaN, these return the second one
#endif
}

// Within 1 ulp (1.1 without fused multiply-add), also for denormal results; NaN stays NaN. e^x =
// 2^n e^r with |r| <= ln(2) / 2, and e^r = 1 + r + r^2 q(r), where q is the polynomial of degree 4
// with the least relative error, 4e-9.
HWY_INLINE F exp_of(F x) {
  const F inside = limited(x);
  const F n = hn::Round(hn::Mul(inside, set(1.44269504f)));
  // ln(2) in two parts. The first has few digits, so that n times it is exact (Cody and Waite
  // 1980).
  const F r = hn::NegMulAdd(n, set(-2.12194440e-4f), hn::NegMulAdd(n, set(0.693359375f), inside));
  F power = set(1.38145406e-3f);
  power = hn::MulAdd(power, r, set(8.36874545e-3f));
  power = hn::MulAdd(power, r, set(4.16683890e-2f));
  power = hn::MulAdd(power, r, set(0.16666521f));
  power = hn::MulAdd(power, r, set(0.49999994f));
  power = hn::MulAdd(power, r, set(1));
  return scaled(hn::MulAdd(power, r, set(1)), n);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
