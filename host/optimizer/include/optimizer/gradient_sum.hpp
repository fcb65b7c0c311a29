// gradient_sum.hpp: the gradients of several towers become one list. tensorpack:
// `aggregate_grads`.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "optimizer/gradient_operation.hpp"

namespace broch::optimizer {

// Adds the lists in their order, ((g0 + g1) + g2) …, and multiplies the sum by a factor that is not
// 1. by_nccl: in NCCL's order, where each list lies on a GPU of its own. name: of the node.
// REQUIRES: owner outlives the operation.
std::unique_ptr<GradientOperation> make_gradient_sum(tower::RunContext& world, abi::Instance& owner,
                                                     std::string name, size_t lists, double factor,
                                                     bool by_nccl,
                                                     std::vector<runtime::Variable*> variables);

}  // namespace broch::optimizer
