// update.cpp: optimizer steps in one pass, with the rounding of LibTorch's separate operators.
#include "kernels/update.hpp"

#include <cmath>

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "update.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE F constant(double value) { return set(static_cast<float>(value)); }

// The gradient plus coupled weight decay.
template <bool decays>
HWY_INLINE F decayed(F gradient, F parameter, F decay) {
  if constexpr (decays) return hn::MulAdd(decay, parameter, gradient);
  return gradient;
}

template <bool decays>
void sgd_over(const SgdStep& step, float* parameters, const float* gradients, int64_t size) {
  const F rate = constant(-step.learning_rate), decay = constant(step.weight_decay);
  sweep(size, [=](auto load, auto store, int64_t at) HWY_ATTR {
    const F parameter = load(parameters + at);
    const F change = decayed<decays>(load(gradients + at), parameter, decay);
    store(hn::MulAdd(rate, change, parameter), parameters + at);
  });
}

template <bool decays>
void momentum_over(const MomentumStep& step, float* parameters, const float* gradients,
                   float* buffer, int64_t size) {
  const F rate = constant(-step.learning_rate), decay = constant(step.weight_decay);
  const F kept = constant(step.momentum), taken = constant(1 - step.dampening);
  const bool nesterov = step.nesterov, first = step.first;
  sweep(size, [=](auto load, auto store, int64_t at) HWY_ATTR {
    const F parameter = load(parameters + at);
    F change = decayed<decays>(load(gradients + at), parameter, decay);
    const F velocity = first ? change : hn::MulAdd(taken, change, hn::Mul(load(buffer + at), kept));
    store(velocity, buffer + at);
    change = nesterov ? hn::MulAdd(kept, velocity, change) : velocity;
    store(hn::MulAdd(rate, change, parameter), parameters + at);
  });
}

enum class Decay { none, coupled, decoupled };

struct AdamConstants {
  explicit AdamConstants(const AdamStep& step)
      : count(static_cast<double>(step.number)),
        decay(constant(step.weight_decay)),
        shrunk(constant(1 - step.learning_rate * step.weight_decay)),
        beta1(constant(step.beta1)),
        rest1(constant(1 - step.beta1)),
        beta2(constant(step.beta2)),
        rest2(constant(1 - step.beta2)),
        root(constant(std::sqrt(1 - std::pow(step.beta2, count)))),
        eps(constant(step.eps)),
        rate(constant(-(step.learning_rate / (1 - std::pow(step.beta1, count))))) {}
  double count;
  F decay, shrunk, beta1, rest1, beta2, rest2, root, eps, rate;
};

template <Decay decay>
HWY_INLINE F shrunk(const AdamConstants& with, F parameter) {
  return decay == Decay::decoupled ? hn::Mul(parameter, with.shrunk) : parameter;
}

template <Decay decay>
void adam_moments(const AdamConstants& with, const float* parameters, const float* gradients,
                  float* mean, float* square, int64_t size) {
  sweep(size, [&](auto load, auto store, int64_t at) HWY_ATTR {
    F gradient = load(gradients + at);
    if constexpr (decay == Decay::coupled) {
      gradient = hn::MulAdd(with.decay, load(parameters + at), gradient);
    }
    store(hn::MulAdd(with.rest1, gradient, hn::Mul(load(mean + at), with.beta1)), mean + at);
    store(
        hn::MulAdd(hn::Mul(with.rest2, gradient), gradient, hn::Mul(load(square + at), with.beta2)),
        square + at);
  });
}

template <Decay decay>
void adam_move(const AdamConstants& with, float* parameters, const float* mean, const float* roots,
               int64_t size) {
  sweep(size, [&](auto load, auto store, int64_t at) HWY_ATTR {
    const F denominator = hn::Add(hn::Div(load(roots + at), with.root), with.eps);
    const F change = hn::Div(hn::Mul(with.rate, load(mean + at)), denominator);
    store(hn::Add(shrunk<decay>(with, load(parameters + at)), change), parameters + at);
  });
}

void nearest_roots(int64_t size, const float* from, float* to) {
  sweep(size, [=](auto load, auto store, int64_t at)
                  HWY_ATTR { store(hn::Sqrt(load(from + at)), to + at); });
}

template <Decay decay>
void adam_over(const AdamStep& step, float* parameters, const float* gradients, float* mean,
               float* square, int64_t size) {
  constexpr int64_t kBlock = 512;  // the blocks of all five arrays stay in the first cache
  HWY_ALIGN float roots[kBlock];
  const AdamConstants with(step);
  const SquareRoot square_root = step.square_root ? step.square_root : nearest_roots;
  for (int64_t at = 0; at < size; at += kBlock) {
    const int64_t count = size - at < kBlock ? size - at : kBlock;
    adam_moments<decay>(with, parameters + at, gradients + at, mean + at, square + at, count);
    square_root(count, square + at, roots);
    adam_move<decay>(with, parameters + at, mean + at, roots, count);
  }
}

// An estimate with one Newton step, within two units in the last place. For positive normal
// numbers.
HWY_INLINE F near_root(F x) {
  const F estimate = hn::ApproximateReciprocalSqrt(x);
  const F half = hn::Mul(hn::Mul(set(0.5f), x), estimate);
  return hn::Mul(x, hn::Mul(estimate, hn::NegMulAdd(half, estimate, set(1.5f))));
}
HWY_INLINE F near_inverse(F x) {
  const F estimate = hn::ApproximateReciprocal(x);
  return hn::Mul(estimate, hn::NegMulAdd(x, estimate, set(2)));
}

// One pass, with approximate roots and quotients: exact ones would take most of the time.
template <Decay decay>
void adam_nearly(const AdamStep& step, float* parameters, const float* gradients, float* mean,
                 float* square, int64_t size) {
  const AdamConstants with(step);
  const F infinite = set(HUGE_VALF), least = set(1.17549435e-38f);
  const F scale = hn::Div(set(1), with.root);
  sweep(size, [&](auto load, auto store, int64_t at) HWY_ATTR {
    const F parameter = load(parameters + at);
    F gradient = load(gradients + at);
    if constexpr (decay == Decay::coupled) gradient = hn::MulAdd(with.decay, parameter, gradient);
    const F m = hn::MulAdd(with.rest1, gradient, hn::Mul(load(mean + at), with.beta1));
    const F v =
        hn::MulAdd(hn::Mul(with.rest2, gradient), gradient, hn::Mul(load(square + at), with.beta2));
    store(m, mean + at);
    store(v, square + at);
    const F step_of = hn::Mul(with.rate, m);
    F change;
    if (HWY_LIKELY(hn::AllFalse(kFloats, hn::Eq(v, infinite)))) {
      const F root = hn::IfThenZeroElse(hn::Lt(v, least), near_root(v));  // NaN stays NaN
      change = hn::Mul(step_of, near_inverse(hn::MulAdd(root, scale, with.eps)));
    } else {
      change = hn::Div(step_of, hn::MulAdd(hn::Sqrt(v), scale, with.eps));
    }
    store(hn::Add(shrunk<decay>(with, parameter), change), parameters + at);
  });
}

template <Decay decay>
auto adam_for(bool nearly) {
  return nearly ? adam_nearly<decay> : adam_over<decay>;
}

// Calls first(at, count, memory), which writes squares, then second(at, count, memory) with their
// roots.
template <class First, class Second>
void over_roots(SquareRoot square_root, int64_t size, First&& first, Second&& second) {
  constexpr int64_t kBlock = 512;  // then all that both functions touch stays in the first cache
  HWY_ALIGN float memory[kBlock];
  if (!square_root) square_root = nearest_roots;
  for (int64_t at = 0; at < size; at += kBlock) {
    const int64_t count = size - at < kBlock ? size - at : kBlock;
    first(at, count, memory);
    square_root(count, memory, memory);
    second(at, count, memory);
  }
}

template <bool decays, bool tf1>
void rmsprop_over(const RmspropStep& step, float* parameters, const float* gradients, float* square,
                  float* mean, float* buffer, int64_t size) {
  const F decay = constant(step.weight_decay), kept = constant(step.alpha);
  const F rest = constant(1 - step.alpha), eps = constant(step.eps);
  const F momentum = constant(step.momentum), rate = constant(-step.learning_rate);
  const F positive_rate = constant(step.learning_rate);
  const auto moments = [=](int64_t at, int64_t count, float* squares) HWY_ATTR {
    sweep(count, [=](auto load, auto store, int64_t i) HWY_ATTR {
      const int64_t k = at + i;
      const F gradient = decayed<decays>(load(gradients + k), load(parameters + k), decay);
      F v = load(square + k);
      if constexpr (tf1) {
        v = hn::MulAdd(hn::Sub(hn::Mul(gradient, gradient), v), rest, v);
      } else {
        v = hn::MulAdd(hn::Mul(rest, gradient), gradient, hn::Mul(v, kept));
      }
      store(v, square + k);
      if (mean) {
        F m = load(mean + k);
        if constexpr (tf1) {
          m = hn::MulAdd(hn::Sub(gradient, m), rest, m);
        } else {
          m = hn::MulAdd(rest, gradient, hn::Mul(m, kept));
        }
        store(m, mean + k);
        v = hn::NegMulAdd(m, m, v);
      }
      if constexpr (tf1) v = hn::Add(v, eps);
      store(v, squares + i);
    });
  };
  const auto move = [=](int64_t at, int64_t count, const float* roots) HWY_ATTR {
    sweep(count, [=](auto load, auto store, int64_t i) HWY_ATTR {
      const int64_t k = at + i;
      const F parameter = load(parameters + k);
      const F gradient = decayed<decays>(load(gradients + k), parameter, decay);
      if constexpr (tf1) {
        F change = hn::Div(hn::Mul(positive_rate, gradient), load(roots + i));
        if (buffer) {
          change = hn::MulAdd(momentum, load(buffer + k), change);
          store(change, buffer + k);
        }
        store(hn::Sub(parameter, change), parameters + k);
      } else {
        const F denominator = hn::Add(load(roots + i), eps);
        if (buffer) {
          const F velocity =
              hn::Add(hn::Mul(load(buffer + k), momentum), hn::Div(gradient, denominator));
          store(velocity, buffer + k);
          store(hn::MulAdd(rate, velocity, parameter), parameters + k);
        } else {
          store(hn::Add(parameter, hn::Div(hn::Mul(rate, gradient), denominator)), parameters + k);
        }
      }
    });
  };
  over_roots(step.square_root, size, moments, move);
}

void rmsprop(const RmspropStep& step, float* parameters, const float* gradients, float* square,
             float* mean, float* buffer, int64_t size) {
  const bool decays = step.weight_decay != 0;
  const auto over = step.tf1 ? (decays ? rmsprop_over<true, true> : rmsprop_over<false, true>)
                             : (decays ? rmsprop_over<true, false> : rmsprop_over<false, false>);
  over(step, parameters, gradients, square, mean, buffer, size);
}

template <bool decays>
void adagrad_over(const AdagradStep& step, float* parameters, const float* gradients, float* sum,
                  int64_t size) {
  const F decay = constant(step.weight_decay), eps = constant(step.eps);
  const F rate = constant(-step.learning_rate);
  const auto moments = [=](int64_t at, int64_t count, float* squares) HWY_ATTR {
    sweep(count, [=](auto load, auto store, int64_t i) HWY_ATTR {
      const int64_t k = at + i;
      const F gradient = decayed<decays>(load(gradients + k), load(parameters + k), decay);
      const F v = hn::MulAdd(gradient, gradient, load(sum + k));
      store(v, sum + k);
      store(v, squares + i);
    });
  };
  const auto move = [=](int64_t at, int64_t count, const float* roots) HWY_ATTR {
    sweep(count, [=](auto load, auto store, int64_t i) HWY_ATTR {
      const int64_t k = at + i;
      const F parameter = load(parameters + k);
      const F gradient = decayed<decays>(load(gradients + k), parameter, decay);
      const F denominator = hn::Add(load(roots + i), eps);
      store(hn::Add(parameter, hn::Div(hn::Mul(rate, gradient), denominator)), parameters + k);
    });
  };
  over_roots(step.square_root, size, moments, move);
}

void adagrad(const AdagradStep& step, float* parameters, const float* gradients, float* sum,
             int64_t size) {
  const auto over = step.weight_decay != 0 ? adagrad_over<true> : adagrad_over<false>;
  over(step, parameters, gradients, sum, size);
}

void sgd(const SgdStep& step, float* parameters, const float* gradients, int64_t size) {
  const auto over = step.weight_decay != 0 ? sgd_over<true> : sgd_over<false>;
  over(step, parameters, gradients, size);
}

void momentum(const MomentumStep& step, float* parameters, const float* gradients, float* buffer,
              int64_t size) {
  const auto over = step.weight_decay != 0 ? momentum_over<true> : momentum_over<false>;
  over(step, parameters, gradients, buffer, size);
}

void adam(const AdamStep& step, float* parameters, const float* gradients, float* mean,
          float* square, int64_t size) {
  constexpr double kLeastEps = 1e-12;  // then roots of denormal numbers are negligible
  const bool nearly = step.nearly && step.eps >= kLeastEps;
  const auto over = step.weight_decay == 0 ? adam_for<Decay::none>(nearly)
                    : step.decoupled       ? adam_for<Decay::decoupled>(nearly)
                                           : adam_for<Decay::coupled>(nearly);
  over(step, parameters, gradients, mean, square, size);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void sgd(const SgdStep& step, float* parameters, const float* gradients, int64_t size) noexcept {
  BROCH_KERNEL(sgd)(step, parameters, gradients, size);
}

void momentum(const MomentumStep& step, float* parameters, const float* gradients, float* buffer,
              int64_t size) noexcept {
  BROCH_KERNEL(momentum)(step, parameters, gradients, buffer, size);
}

void adam(const AdamStep& step, float* parameters, const float* gradients, float* mean,
          float* square, int64_t size) noexcept {
  BROCH_KERNEL(adam)(step, parameters, gradients, mean, square, size);
}

void rmsprop(const RmspropStep& step, float* parameters, const float* gradients, float* square,
             float* mean, float* buffer, int64_t size) noexcept {
  BROCH_KERNEL(rmsprop)(step, parameters, gradients, square, mean, buffer, size);
}

void adagrad(const AdagradStep& step, float* parameters, const float* gradients, float* sum,
             int64_t size) noexcept {
  BROCH_KERNEL(adagrad)(step, parameters, gradients, sum, size);
}

}  // namespace broch::kernels
#endif
