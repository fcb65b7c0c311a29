// softmax_cross_entropy.cpp: exponentials of rows, and the loss and gradient computed from them.
#include "kernels/softmax_cross_entropy.hpp"

#include <cmath>

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "softmax_cross_entropy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exp-inl.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// The largest element of a row. It may miss NaN, which the exponentials then propagate.
HWY_INLINE float row_max(const float* row, int64_t size) {
  F largest = set(row[0]);
  int64_t at = 0;
  for (; at + lanes() <= size; at += lanes()) largest = hn::Max(load(row + at), largest);
  float result = max_of(largest);
  for (; at < size; ++at) result = row[at] > result ? row[at] : result;
  return result;
}

// The sum of exp(row - shift). keep(powers, at, count) may store the exponentials.
template <class Keep>
HWY_INLINE float exponentials(const float* row, int64_t size, float shift, const Keep& keep) {
  F sum = hn::Zero(kFloats);
  const F by = set(shift);
  int64_t at = 0;
  for (; at + lanes() <= size; at += lanes()) {
    const F powers = exp_of(hn::Sub(load(row + at), by));
    sum = hn::Add(sum, powers);
    keep(powers, at, lanes());
  }
  if (const int64_t rest = size - at; rest > 0) {
    const F powers = exp_of(hn::Sub(load_part(row + at, rest), by));
    const auto inside = hn::FirstN(kFloats, static_cast<size_t>(rest));
    sum = hn::Add(sum, hn::IfThenElseZero(inside, powers));
    keep(powers, at, rest);
  }
  return sum_of(sum);
}

HWY_INLINE void clear(float* row, int64_t size) {
  for (int64_t i = 0; i < size; ++i) row[i] = 0;
}

CrossEntropySums cross_entropy_with_gradient(const Logits& logits, const Targets& targets,
                                             float scale, float* gradient, int64_t d_row) {
  CrossEntropySums sums;
  for (int64_t i = 0; i < logits.rows; ++i, gradient += d_row) {
    const int64_t target = targets.data[i];
    if (target == targets.ignored) {
      clear(gradient, logits.classes);
      continue;
    }
    const float* const row = logits.data + i * logits.row;
    const float largest = row_max(row, logits.classes), chosen = row[target];
    const float sum = exponentials(row, logits.classes, largest,
                                   [=](F powers, int64_t at, int64_t count) HWY_ATTR {
                                     count == lanes() ? store(powers, gradient + at)
                                                      : store_part(powers, gradient + at, count);
                                   });
    const F factor = set(scale / sum);
    sweep(logits.classes, [=](auto load, auto store, int64_t at) HWY_ATTR {
      store(hn::Mul(factor, load(gradient + at)), gradient + at);
    });
    gradient[target] -= scale;
    // largest + log(sum) would lose the digits of the logarithm if the logits are large.
    sums.loss += (largest - chosen) + std::log(sum);
    ++sums.counted;
  }
  return sums;
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

int64_t counted_rows(const Targets& targets, int64_t rows) noexcept {
  int64_t count = 0;
  for (int64_t i = 0; i < rows; ++i) count += targets.data[i] != targets.ignored;
  return count;
}

CrossEntropySums cross_entropy_with_gradient(const Logits& logits, const Targets& targets,
                                             float scale, float* gradient, int64_t d_row) noexcept {
  return BROCH_KERNEL(cross_entropy_with_gradient)(logits, targets, scale, gradient, d_row);
}

}  // namespace broch::kernels
#endif
