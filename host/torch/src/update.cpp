// update.cpp: flat lists of tensors, and updates of them.
#include <ATen/ops/zeros.h>

#include <cmath>

#include "compiler/aten.hpp"
#include "rows.hpp"
#include "torch_backend.hpp"
#include "update_rules.hpp"

namespace broch::libtorch {
namespace {

constexpr int64_t kCpuAlignment = 64, kCudaAlignment = 256;

int64_t padded(const at::Tensor& tensor) {
  const int64_t alignment = tensor.is_cuda() ? kCudaAlignment : kCpuAlignment;
  const int64_t step = alignment / static_cast<int64_t>(tensor.element_size());
  return (tensor.numel() + step - 1) / step * step;
}

std::string type_in_words(const at::Tensor& tensor) {
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
                      base::Diagnostic{"flat list", "found " + type_in_words(tensor),
                                       type_in_words(tensors[0]) + " like the first tensor",
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

Lists lists_of(const UpdateStep& step) {
  const size_t expected = slot_count(step);
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

// Whether an update leaves rows without a gradient unchanged. For them it computes w + -rate * +0.
// This is exactly w if the product is -0, which requires that the rate is finite and not negative.
bool leaves_others(const UpdateStep& step) {
  const auto rate = static_cast<float>(step.learning_rate);
  return step.rule == Rule::sgd && step.weight_decay == 0 && rate >= 0 && std::isfinite(rate);
}

// Updates only the rows; false: the whole gradient is needed.
bool update_rows(const UpdateStep& step) {
  const auto rows = rows_of(to_aten(step.gradients));
  const at::Tensor table = to_aten(step.parameters);
  if (!rows || !leaves_others(step) || !table.is_cpu() || !table.is_contiguous() ||
      table.sizes() != rows->table)
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
    if (has_kernel(step, lists)) return update_in_one_pass(step, lists, level_);
    // The aliases have their own version counters, since other graphs may refer to the parameters.
    lists.parameters = lists.parameters.variable_data();
    lists.gradients = lists.gradients.detach().contiguous();
    update_by_operators(step, lists);
  });
}

}  // namespace broch::libtorch
