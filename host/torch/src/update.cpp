// update.cpp: flat lists of tensors, and the update rules over them.
#include "kernels/update.hpp"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "compiler/aten.hpp"
#include "rows.hpp"
#include "torch_backend.hpp"

// MKL's, from inside LibTorch.
extern "C" void vmsSqrt(int size, const float* from, float* to, long long mode);

namespace broch::libtorch {
namespace {

constexpr int64_t kCpuAlignment = 64, kCudaAlignment = 256;

int64_t padded(const at::Tensor& tensor) {
  const int64_t alignment = tensor.is_cuda() ? kCudaAlignment : kCpuAlignment;
  const int64_t step = alignment / static_cast<int64_t>(tensor.element_size());
  return (tensor.numel() + step - 1) / step * step;
}

std::string in_words(const at::Tensor& tensor) {
  return std::string(dtype_name(from_aten(tensor.scalar_type()))) + " on " + tensor.device().str();
}

void check_alike(const std::vector<at::Tensor>& tensors) {
  if (tensors.empty()) {
    throw base::Error(base::Exit::training, "flat list: found no tensors, expected one or more");
  }
  for (const at::Tensor& tensor : tensors) {
    if (tensor.scalar_type() == tensors[0].scalar_type() &&
        tensor.device() == tensors[0].device()) {
      continue;
    }
    throw base::Error(base::Exit::training,
                      base::Diagnostic{"flat list", "found " + in_words(tensor),
                                       in_words(tensors[0]) + " like the first tensor",
                                       "keep lists of other dtypes and devices apart"});
  }
}

Backend::Flat laid_out(const std::vector<at::Tensor>& tensors, bool with_values) {
  check_alike(tensors);
  int64_t total = 0;
  for (const at::Tensor& tensor : tensors) total += padded(tensor);
  const at::Tensor buffer = at::zeros({total}, tensors[0].options());
  Backend::Flat flat{from_aten(buffer), {}};
  int64_t offset = 0;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor view = buffer.narrow(0, offset, tensor.numel()).view(tensor.sizes());
    if (with_values) view.copy_(tensor);
    flat.views.push_back(from_aten(view));
    offset += padded(tensor);
  }
  return flat;
}

// The operators of one rule in the order of torch::optim (LibTorch 2.11, csrc/api/src/optim): over
// a flat list each element goes through the same roundings as over a list of tensors.
struct Lists {
  at::Tensor parameters, gradients;
  std::vector<at::Tensor> slots;
};

void sgd(const UpdateStep& step, Lists& at) {
  at::Tensor change = at.gradients;
  if (step.weight_decay != 0) change = change.add(at.parameters, step.weight_decay);
  if (step.rule == Rule::momentum) {
    at::Tensor& buffer = at.slots[0];
    if (step.step == 1) {
      buffer.copy_(change);  // the first gradient whole: dampening begins with the second
    } else {
      buffer.mul_(step.momentum).add_(change, 1 - step.dampening);
    }
    change = step.nesterov ? change.add(buffer, step.momentum) : buffer;
  }
  at.parameters.add_(change, -step.learning_rate);
}

// TensorFlow 1 adds epsilon to the root that is not yet corrected.
double adam_eps(const UpdateStep& step) {
  const double correction = 1 - std::pow(step.beta2, static_cast<double>(step.step));
  return step.tf1 ? step.eps / std::sqrt(correction) : step.eps;
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
  const at::Tensor denominator = square.sqrt().div(std::sqrt(correction2)).add_(adam_eps(step));
  at.parameters.addcdiv_(mean, denominator, -(step.learning_rate / correction1));
}

// Slots behind the first: its momentum, then the mean of gradients.
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

double adagrad_rate(const UpdateStep& step) {
  return step.learning_rate / (1 + static_cast<double>(step.step - 1) * step.lr_decay);
}

void adagrad(const UpdateStep& step, Lists& at) {
  const at::Tensor gradients = with_decay(step, at);
  at::Tensor& sum = at.slots[0];
  sum.addcmul_(gradients, gradients, 1.0);
  at.parameters.addcdiv_(gradients, sum.sqrt().add_(step.eps), -adagrad_rate(step));
}

size_t slots_of(const UpdateStep& step) {
  switch (step.rule) {
    case Rule::sgd:
      return 0;
    case Rule::momentum:
    case Rule::adagrad:
      return 1;
    case Rule::adam:
    case Rule::adamw:
      return 2;
    case Rule::rmsprop:
      return size_t{1} + step.with_buffer + step.centered;
  }
  return 0;
}

Lists lists_of(const UpdateStep& step) {
  const size_t expected = slots_of(step);
  Lists lists{to_aten(step.parameters), whole(to_aten(step.gradients)), {}};
  for (const Tensor& slot : step.slots) lists.slots.push_back(to_aten(slot));
  if (lists.slots.size() != expected || step.step < 1) {
    throw base::Error(base::Exit::training,
                      base::Diagnostic{"update",
                                       "found " + std::to_string(lists.slots.size()) +
                                           " slots at step " + std::to_string(step.step),
                                       std::to_string(expected) + " slots at step 1 or later", ""});
  }
  const auto check = [&](const at::Tensor& tensor) {
    if (tensor.sizes() == lists.parameters.sizes()) return;
    throw base::Error(
        base::Exit::training,
        base::Diagnostic{"update", "found shape " + c10::str(tensor.sizes()),
                         "the shape of the parameters, " + c10::str(lists.parameters.sizes()), ""});
  };
  check(lists.gradients);
  for (const at::Tensor& slot : lists.slots) check(slot);
  return lists;
}

// LibTorch takes its roots from MKL, with these settings (ATen/cpu/vml.h); nothing else has the
// bits.
void square_root(int64_t size, const float* from, float* to) {
  constexpr long long kHighAccuracy = 0x2, kNoFlush = 0x140000, kIgnoreErrors = 0x100;
  vmsSqrt(static_cast<int>(size), from, to, kHighAccuracy | kNoFlush | kIgnoreErrors);
}

// The same roundings in one pass; the kernels promise it for LibTorch's own instructions.
bool has_kernel(const Lists& lists) {
  const auto fits = [](const at::Tensor& tensor) {
    return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat &&
           tensor.is_contiguous() && tensor.numel() <= INT32_MAX;
  };
  return fits(lists.parameters) && fits(lists.gradients) && std::ranges::all_of(lists.slots, fits);
}

void update_in_one_pass(const UpdateStep& step, Lists& at, Level level) {
  auto* const parameters = at.parameters.mutable_data_ptr<float>();
  const auto* const gradients = at.gradients.const_data_ptr<float>();
  const int64_t size = at.parameters.numel();
  const auto slot = [&](size_t i) { return at.slots[i].mutable_data_ptr<float>(); };
  const kernels::SquareRoot roots = level == Level::bitwise ? square_root : nullptr;
  switch (step.rule) {
    case Rule::sgd:
      return kernels::sgd({step.learning_rate, step.weight_decay}, parameters, gradients, size);
    case Rule::momentum:
      return kernels::momentum({step.learning_rate, step.weight_decay, step.momentum,
                                step.dampening, step.nesterov, step.step == 1},
                               parameters, gradients, slot(0), size);
    case Rule::adam:
    case Rule::adamw:
      return kernels::adam(
          {step.learning_rate, step.weight_decay, step.beta1, step.beta2, adam_eps(step), roots,
           step.rule == Rule::adamw, step.step, level == Level::fast},
          parameters, gradients, slot(0), slot(1), size);
    case Rule::rmsprop:
      return kernels::rmsprop({step.learning_rate, step.weight_decay, step.alpha, step.eps,
                               step.momentum, roots, step.tf1},
                              parameters, gradients, slot(0),
                              step.centered ? slot(at.slots.size() - 1) : nullptr,
                              step.with_buffer ? slot(1) : nullptr, size);
    case Rule::adagrad:
      return kernels::adagrad({adagrad_rate(step), step.weight_decay, step.eps, roots}, parameters,
                              gradients, slot(0), size);
  }
}

void update_by_operators(const UpdateStep& step, Lists& at) {
  switch (step.rule) {
    case Rule::sgd:
    case Rule::momentum:
      return sgd(step, at);
    case Rule::adam:
    case Rule::adamw:
      return adam(step, at);
    case Rule::rmsprop:
      return rmsprop(step, at);
    case Rule::adagrad:
      return adagrad(step, at);
  }
}

// Rows that no gradient reached go through w + -rate * +0 in the whole update, which is w to the
// bit for every w as long as the product is -0: not for a negative rate, nor one that is not
// finite.
bool leaves_others(const UpdateStep& step) {
  const auto rate = static_cast<float>(step.learning_rate);
  return step.rule == Rule::sgd && step.weight_decay == 0 && rate >= 0 && std::isfinite(rate);
}

// Descends in the rows alone; false: the whole gradient is needed.
bool update_rows(const UpdateStep& step) {
  const auto rows = rows_of(to_aten(step.gradients));
  const at::Tensor table = to_aten(step.parameters);
  if (!rows || !leaves_others(step) || !table.is_contiguous() || table.sizes() != rows->table)
    return false;
  kernels::scatter_add_rows(rows->scatter(static_cast<float>(-step.learning_rate)), rows->values,
                            table.mutable_data_ptr<float>());
  return true;
}

}  // namespace

Backend::Flat TorchBackend::flatten(std::span<const Tensor> tensors) {
  return at_place("flat list", [&] {
    const c10::NoGradGuard no_grad;
    return laid_out(to_aten(tensors), true);
  });
}

Backend::Flat TorchBackend::flat_zeros_like(std::span<const Tensor> tensors) {
  return at_place("flat list", [&] {
    const c10::NoGradGuard no_grad;
    return laid_out(to_aten(tensors), false);
  });
}

void TorchBackend::update(const UpdateStep& step) {
  at_place("update", [&] {
    const c10::NoGradGuard no_grad;
    if (update_rows(step)) return;
    Lists lists = lists_of(step);
    if (has_kernel(lists)) return update_in_one_pass(step, lists, level_);
    // Aliases with versions of their own: other graphs may hold the parameters.
    lists.parameters = lists.parameters.variable_data();
    lists.gradients = lists.gradients.detach().contiguous();
    update_by_operators(step, lists);
  });
}

}  // namespace broch::libtorch
