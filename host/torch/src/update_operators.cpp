// update_operators.cpp: each rule with operators of LibTorch.
#include <ATen/ops/maximum.h>

#include <cmath>

#include "update_rules.hpp"

namespace broch::libtorch {
namespace {

void sgd(const UpdateStep& step, Lists& at) {
  at::Tensor change = at.gradients;
  if (step.weight_decay != 0) change = change.add(at.parameters, step.weight_decay);
  if (step.rule == Rule::momentum) {
    at::Tensor& buffer = at.slots[0];
    if (step.step == 1) {
      buffer.copy_(change);  // the first gradient is copied; dampening begins with the second
    } else {
      buffer.mul_(step.momentum).add_(change, 1 - step.dampening);
    }
    change = step.nesterov ? change.add(buffer, step.momentum) : buffer;
  }
  at.parameters.add_(change, -step.learning_rate);
}

void adam(const UpdateStep& step, Lists& at) {
  at::Tensor gradients = at.gradients;
  if (step.weight_decay != 0) {
    if (step.rule == Rule::adamw) {
      at.parameters.mul_(1 - step.learning_rate * step.weight_decay);
    } else {
      gradients = gradients.add(at.parameters, step.weight_decay);
    }
  }
  const auto count = static_cast<double>(step.step);
  const double correction1 = 1 - std::pow(step.beta1, count);
  const double correction2 = 1 - std::pow(step.beta2, count);
  at::Tensor &mean = at.slots[0], &square = at.slots[1];
  mean.mul_(step.beta1).add_(gradients, 1 - step.beta1);
  square.mul_(step.beta2).addcmul_(gradients, gradients, 1 - step.beta2);
  if (step.amsgrad) at::maximum_out(at.slots[2], at.slots[2], square);
  const at::Tensor& divisor = step.amsgrad ? at.slots[2] : square;
  const at::Tensor denominator = divisor.sqrt().div(std::sqrt(correction2)).add_(adam_eps(step));
  at.parameters.addcdiv_(mean, denominator, -(step.learning_rate / correction1));
}

// The optional slots after the first: the momentum buffer, then the mean of gradients.
at::Tensor* buffer_of(const UpdateStep& step, Lists& at) {
  return step.with_buffer ? &at.slots[1] : nullptr;
}
at::Tensor* mean_of(const UpdateStep& step, Lists& at) {
  return step.centered ? &at.slots.back() : nullptr;
}

at::Tensor with_decay(const UpdateStep& step, const Lists& at) {
  return step.weight_decay == 0 ? at.gradients : at.gradients.add(at.parameters, step.weight_decay);
}

void rmsprop(const UpdateStep& step, Lists& at) {
  const at::Tensor gradients = with_decay(step, at);
  at::Tensor& square = at.slots[0];
  at::Tensor *const mean = mean_of(step, at), *const buffer = buffer_of(step, at);
  square.mul_(step.alpha).addcmul_(gradients, gradients, 1 - step.alpha);
  at::Tensor squares = square;
  if (mean) {
    mean->mul_(step.alpha).add_(gradients, 1 - step.alpha);
    squares = square.addcmul(*mean, *mean, -1);
  }
  const at::Tensor root = step.tf1 ? squares.add(step.eps).sqrt() : squares.sqrt().add_(step.eps);
  const double factor = step.tf1 ? step.learning_rate : 1;
  if (!buffer) {
    at.parameters.addcdiv_(gradients, root, -step.learning_rate);
  } else {
    buffer->mul_(step.momentum).addcdiv_(gradients, root, factor);
    at.parameters.add_(*buffer, step.tf1 ? -1 : -step.learning_rate);
  }
}

void adagrad(const UpdateStep& step, Lists& at) {
  const at::Tensor gradients = with_decay(step, at);
  at::Tensor& sum = at.slots[0];
  sum.addcmul_(gradients, gradients, 1.0);
  at.parameters.addcdiv_(gradients, sum.sqrt().add_(step.eps), -adagrad_rate(step));
}

// In the order of Rule.
constexpr void (*kRules[])(const UpdateStep&, Lists&) = {sgd, sgd, adam, adam, rmsprop, adagrad};

}  // namespace

double adam_eps(const UpdateStep& step) {
  const double correction = 1 - std::pow(step.beta2, static_cast<double>(step.step));
  return step.tf1 ? step.eps / std::sqrt(correction) : step.eps;
}

double adagrad_rate(const UpdateStep& step) {
  return step.learning_rate / (1 + static_cast<double>(step.step - 1) * step.lr_decay);
}

void update_by_operators(const UpdateStep& step, Lists& at) {
  kRules[static_cast<size_t>(step.rule)](step, at);
}

}  // namespace broch::libtorch
