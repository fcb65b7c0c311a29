// update_kernels.cpp: each rule with one kernel, which reads and writes each buffer once.
#include <algorithm>

#include "kernels/update.hpp"
#include "update_rules.hpp"

// MKL's function, which LibTorch contains.
extern "C" void vmsSqrt(int size, const float* from, float* to, long long mode);

namespace broch::libtorch {
namespace {

// LibTorch computes roots with MKL and these settings (ATen/cpu/vml.h); only this gives the same
// bits.
void square_root(int64_t size, const float* from, float* to) {
  constexpr long long kHighAccuracy = 0x2, kNoFlush = 0x140000, kIgnoreErrors = 0x100;
  vmsSqrt(static_cast<int>(size), from, to, kHighAccuracy | kNoFlush | kIgnoreErrors);
}

// The arguments of a rule's kernel.
struct Pass {
  float* parameters;
  const float* gradients;
  std::vector<at::Tensor>& slots;
  int64_t size;
  Level level;

  float* slot(size_t i) const { return slots[i].mutable_data_ptr<float>(); }
  kernels::SquareRoot roots() const { return level == Level::bitwise ? square_root : nullptr; }
};

void sgd(const UpdateStep& step, const Pass& at) {
  kernels::sgd({step.learning_rate, step.weight_decay}, at.parameters, at.gradients, at.size);
}

void momentum(const UpdateStep& step, const Pass& at) {
  kernels::momentum({step.learning_rate, step.weight_decay, step.momentum, step.dampening,
                     step.nesterov, step.step == 1},
                    at.parameters, at.gradients, at.slot(0), at.size);
}

void adam(const UpdateStep& step, const Pass& at) {
  kernels::adam({step.learning_rate, step.weight_decay, step.beta1, step.beta2, adam_eps(step),
                 at.roots(), step.rule == Rule::adamw, step.step, at.level == Level::fast},
                at.parameters, at.gradients, at.slot(0), at.slot(1), at.size);
}

void rmsprop(const UpdateStep& step, const Pass& at) {
  kernels::rmsprop({step.learning_rate, step.weight_decay, step.alpha, step.eps, step.momentum,
                    at.roots(), step.tf1},
                   at.parameters, at.gradients, at.slot(0),
                   step.centered ? at.slot(at.slots.size() - 1) : nullptr,
                   step.with_buffer ? at.slot(1) : nullptr, at.size);
}

void adagrad(const UpdateStep& step, const Pass& at) {
  kernels::adagrad({adagrad_rate(step), step.weight_decay, step.eps, at.roots()}, at.parameters,
                   at.gradients, at.slot(0), at.size);
}

// In the order of Rule.
constexpr void (*kRules[])(const UpdateStep&, const Pass&) = {sgd,  momentum, adam,
                                                              adam, rmsprop,  adagrad};

}  // namespace

bool has_kernel(const UpdateStep& step, const Lists& lists) {
  if (step.amsgrad) return false;
  const auto fits = [](const at::Tensor& tensor) {
    return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat &&
           tensor.is_contiguous() && tensor.numel() <= INT32_MAX;
  };
  return fits(lists.parameters) && fits(lists.gradients) && std::ranges::all_of(lists.slots, fits);
}

void update_in_one_pass(const UpdateStep& step, Lists& at, Level level) {
  kRules[static_cast<size_t>(step.rule)](
      step, {at.parameters.mutable_data_ptr<float>(), at.gradients.const_data_ptr<float>(),
             at.slots, at.parameters.numel(), level});
}

}  // namespace broch::libtorch
