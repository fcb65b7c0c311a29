// update.hpp: one optimizer step on flat buffers in one pass.
//
// The bits are those of LibTorch 2.11's operators in the order of torch::optim
// (csrc/api/src/optim):
//   a.add_(b, s)           fma(s, b, a)         one rounding with avx2 and avx512
//   a.addcmul_(b, c, s)    fma(s * b, c, a)
//   a.addcdiv_(b, c, s)    a + (s * b) / c
// This holds if LibTorch uses the same instructions (generic rounds each product). Constants are
// computed in double and rounded once. Buffers are float32, have `size` elements and must not
// overlap. They may be any part of the parameters, since elements do not depend on each other.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct SgdStep {
  double learning_rate = 0, weight_decay = 0;
};
void sgd(const SgdStep& step, float* parameters, const float* gradients, int64_t size) noexcept;

struct MomentumStep {
  double learning_rate = 0, weight_decay = 0, momentum = 0, dampening = 0;
  bool nesterov = false;
  bool first = false;  // the first step sets the buffer to the gradient, without reading it
};
void momentum(const MomentumStep& step, float* parameters, const float* gradients, float* buffer,
              int64_t size) noexcept;

// to[i] = the square root of from[i]. LibTorch uses MKL's vmsSqrt, whose last bit sometimes differs
// from the correctly rounded root, so the same bits need the same function.
using SquareRoot = void (*)(int64_t size, const float* from, float* to);

// Adam (Kingma and Ba 2015), or with decoupled weight decay AdamW (Loshchilov and Hutter 2019).
struct AdamStep {
  double learning_rate = 0, weight_decay = 0, beta1 = 0, beta2 = 0, eps = 0;
  SquareRoot square_root = nullptr;  // null: correctly rounded
  bool decoupled = false;            // AdamW
  int64_t number = 1;                // the number of this step, from 1
  // For level fast: roots and quotients may be wrong in their last bits, but are several times as
  // fast.
  bool nearly = false;
};
void adam(const AdamStep& step, float* parameters, const float* gradients, float* mean,
          float* square, int64_t size) noexcept;

// RMSprop (Hinton, lecture 6.5; centered: Graves 2013). `mean` is the mean of the gradients, null
// unless centered. `buffer` is null without momentum.
struct RmspropStep {
  double learning_rate = 0, weight_decay = 0, alpha = 0, eps = 0, momentum = 0;
  SquareRoot square_root = nullptr;  // null: correctly rounded
  // As in TensorFlow 1's ApplyRMSProp: epsilon is inside the root, and the buffer includes the
  // learning rate.
  bool tf1 = false;
};
void rmsprop(const RmspropStep& step, float* parameters, const float* gradients, float* square,
             float* mean, float* buffer, int64_t size) noexcept;

// Adagrad (Duchi et al. 2011). learning_rate is that of this step.
struct AdagradStep {
  double learning_rate = 0, weight_decay = 0, eps = 0;
  SquareRoot square_root = nullptr;
};
void adagrad(const AdagradStep& step, float* parameters, const float* gradients, float* sum,
             int64_t size) noexcept;

}  // namespace broch::kernels
