// update_rules.hpp: the computation of each update rule, with operators and in one pass.
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

// Uses the operators of torch::optim in its order (LibTorch 2.11, csrc/api/src/optim). On a flat
// list each element is rounded in the same way as on a list of tensors.
void update_by_operators(const UpdateStep& step, Lists& at);

// Whether there is a kernel for this step, which computes the same in one pass; amsgrad has none.
// The bits are the same if the kernels use the instructions that LibTorch uses; rmsprop as
// TensorFlow 1 has it is rounded in another order.
bool has_kernel(const UpdateStep& step, const Lists& lists);
void update_in_one_pass(const UpdateStep& step, Lists& at, Level level);

// The epsilon of adam at this step. TensorFlow 1 adds it to the root before bias correction.
double adam_eps(const UpdateStep& step);
// The learning rate of adagrad at this step.
double adagrad_rate(const UpdateStep& step);

}  // namespace broch::libtorch
