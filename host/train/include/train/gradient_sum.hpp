// gradient_sum.hpp: the gradients of several towers become one list. Source: semantics 3.7, 3.9.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "train/gradient_operation.hpp"

namespace broch::train {

// Adds the lists in their order, ((g0 + g1) + g2) …, and, for the mean, multiplies by 1 / lists.
// name: of the node. REQUIRES: two lists or more; owner outlives the operation.
std::unique_ptr<GradientOperation> make_gradient_sum(runtime::TowerWorld& world,
                                                     abi::Instance& owner, std::string name,
                                                     size_t lists, bool mean,
                                                     std::vector<runtime::Variable*> variables);

}  // namespace broch::train
