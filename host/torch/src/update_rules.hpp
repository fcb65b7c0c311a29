// update_rules.hpp: the arithmetic of each update rule: as operators, and as one pass.
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "names.hpp"
#include "runtime/program.hpp"
#include "runtime/update_rule.hpp"

namespace broch::libtorch {

struct Lists {
  at::Tensor parameters, gradients;
  std::vector<at::Tensor> slots;
};

// The operators of a rule in the order of torch::optim (LibTorch 2.11, csrc/api/src/optim): over a
// flat list each element goes through the same roundings as over a list of tensors.
void update_by_operators(const UpdateStep& step, Lists& at);

// Whether there is a kernel for these lists, with the same roundings in one pass; the kernels
// promise it for LibTorch's own instructions.
bool has_kernel(const Lists& lists);
void update_in_one_pass(const UpdateStep& step, Lists& at, Level level);

// Epsilon of adam at this step. TensorFlow 1 adds it to the root that is not yet corrected.
double adam_eps(const UpdateStep& step);
// Learning rate of adagrad at this step.
double adagrad_rate(const UpdateStep& step);

}  // namespace broch::libtorch
