// exp-inl.hpp: the exponential of a vector, with NaN kept.
#if defined(BROCH_KERNELS_EXP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_EXP_INL_HPP
#undef BROCH_KERNELS_EXP_INL_HPP
#else
#define BROCH_KERNELS_EXP_INL_HPP
#endif
#include <hwy/contrib/math/math-inl.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// Within 1 ulp; 0 below -104.
HWY_INLINE F exp_of(F x) {
  const F power = hn::Exp(kFloats, hn::Min(x, set(128)));
  return hn::IfThenElse(hn::Eq(x, x), power, x);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
