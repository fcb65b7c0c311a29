// batch_norm-inl.hpp: what batch normalization does in both layouts.
#if defined(BROCH_KERNELS_BATCH_NORM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_BATCH_NORM_INL_HPP
#undef BROCH_KERNELS_BATCH_NORM_INL_HPP
#else
#define BROCH_KERNELS_BATCH_NORM_INL_HPP
#endif
#include <cmath>

#include "kernels/batch_norm.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE F rectified(F x, bool relu) {
  return relu ? hn::IfThenZeroElse(hn::Lt(x, set(0)), x) : x;
}
// The gradient dy, or 0 where the fused relu gave 0.
HWY_INLINE F gated(F dy, F y) { return hn::IfThenZeroElse(hn::Le(y, set(0)), dy); }

// Stores the statistics of a channel. `squares` is the sum of squared distances to the mean. As in
// LibTorch, equal elements and an eps of 0 give the inverse 0.
HWY_INLINE void keep_statistics(const BatchNorm& shape, const BatchNormForward& call,
                                int64_t channel, float mean, float squares) {
  const auto count = static_cast<float>(shape.pixels());
  call.mean[channel] = mean;
  const float spread = squares / count + static_cast<float>(call.eps);
  call.inverse[channel] = spread != 0 ? 1 / std::sqrt(spread) : 0;
  if (!call.running_mean) return;
  const auto momentum = static_cast<float>(call.momentum);
  const float rest = 1 - momentum;
  call.running_mean[channel] = rest * call.running_mean[channel] + momentum * mean;
  call.running_variance[channel] =
      rest * call.running_variance[channel] + momentum * squares / (count - 1);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
