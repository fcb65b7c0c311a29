// softmax_cross_entropy.cpp: exponentials of rows, and the losses computed from them.
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

HWY_INLINE float log_sum(const float* row, int64_t size) {
  const float largest = row_max(row, size);
  const float sum = exponentials(row, size, largest, [](F, int64_t, int64_t) HWY_ATTR {});
  return largest + std::log(sum);
}

HWY_INLINE void clear(float* row, int64_t size) {
  for (int64_t i = 0; i < size; ++i) row[i] = 0;
}

CrossEntropySums cross_entropy(const Logits& logits, const Targets& targets, float* log_sums) {
  CrossEntropySums sums;
  for (int64_t i = 0; i < logits.rows; ++i) {
    const float* const row = logits.data + i * logits.row;
    log_sums[i] = log_sum(row, logits.classes);
    if (targets.data[i] == targets.ignored) continue;
    sums.loss += log_sums[i] - row[targets.data[i]];
    ++sums.counted;
  }
  return sums;
}

void cross_entropy_backward(const Logits& logits, const Targets& targets, const float* log_sums,
                            float scale, float* gradient, int64_t d_row) {
  for (int64_t i = 0; i < logits.rows; ++i, gradient += d_row) {
    if (targets.data[i] == targets.ignored) {
      clear(gradient, logits.classes);
      continue;
    }
    const float* const row = logits.data + i * logits.row;
    const F shift = set(log_sums[i]), factor = set(scale);
    sweep(logits.classes, [=](auto load, auto store, int64_t at) HWY_ATTR {
      store(hn::Mul(factor, exp_of(hn::Sub(load(row + at), shift))), gradient + at);
    });
    gradient[targets.data[i]] -= scale;
  }
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
    sums.loss += largest + std::log(sum) - chosen;
    ++sums.counted;
  }
  return sums;
}

void log_softmax(const Logits& logits, float* out, int64_t out_row) {
  for (int64_t i = 0; i < logits.rows; ++i, out += out_row) {
    const float* const row = logits.data + i * logits.row;
    const F shift = set(log_sum(row, logits.classes));
    sweep(logits.classes, [=](auto load, auto store, int64_t at)
                              HWY_ATTR { store(hn::Sub(load(row + at), shift), out + at); });
  }
}

void log_softmax_backward(const Logits& output, const float* output_gradient, float* gradient) {
  for (int64_t i = 0; i < output.rows; ++i, output_gradient += output.row, gradient += output.row) {
    const float* const row = output.data + i * output.row;
    F sums = hn::Zero(kFloats);
    sweep(output.classes, [&](auto load, auto, int64_t at)
                              HWY_ATTR { sums = hn::Add(sums, load(output_gradient + at)); });
    const F sum = set(sum_of(sums));
    sweep(output.classes, [=](auto load, auto store, int64_t at) HWY_ATTR {
      store(hn::NegMulAdd(exp_of(load(row + at)), sum, load(output_gradient + at)), gradient + at);
    });
  }
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

CrossEntropySums cross_entropy(const Logits& logits, const Targets& targets,
                               float* log_sums) noexcept {
  return BROCH_KERNEL(cross_entropy)(logits, targets, log_sums);
}

void cross_entropy_backward(const Logits& logits, const Targets& targets, const float* log_sums,
                            float scale, float* gradient, int64_t d_row) noexcept {
  BROCH_KERNEL(cross_entropy_backward)(logits, targets, log_sums, scale, gradient, d_row);
}

CrossEntropySums cross_entropy_with_gradient(const Logits& logits, const Targets& targets,
                                             float scale, float* gradient, int64_t d_row) noexcept {
  return BROCH_KERNEL(cross_entropy_with_gradient)(logits, targets, scale, gradient, d_row);
}

void log_softmax(const Logits& logits, float* out, int64_t out_row) noexcept {
  BROCH_KERNEL(log_softmax)(logits, out, out_row);
}

void log_softmax_backward(const Logits& output, const float* output_gradient,
                          float* gradient) noexcept {
  BROCH_KERNEL(log_softmax_backward)(output, output_gradient, gradient);
}

}  // namespace broch::kernels
#endif
