// gradient_sum.hpp: adds the gradients of several towers. tensorpack: `aggregate_grads`.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "optimizer/gradient_operation.hpp"

namespace broch::optimizer {

// Adds the lists in their order, ((g0 + g1) + g2) …, and multiplies the sum by `factor` unless it
// is 1. by_nccl: adds in NCCL's order, if each list is on its own GPU. name: of the node.
// REQUIRES: owner outlives the operation.
std::unique_ptr<GradientOperation> make_gradient_sum(tower::RunContext& context,
                                                     abi::Instance& owner, std::string name,
                                                     size_t lists, double factor, bool by_nccl,
                                                     std::vector<runtime::Variable*> variables);

}  // namespace broch::optimizer
