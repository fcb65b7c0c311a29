// gradient_chain.hpp: the gradient processors of one node, applied one after another.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "optimizer/gradient_operation.hpp"
#include "optimizer/gradient_processor.hpp"

namespace broch::optimizer {

using GradientProcessors = std::vector<std::unique_ptr<GradientProcessor>>;

// name: of the node, for messages and random draws. Calls the processors once on zeros.
// REQUIRES: at least one processor; owner outlives the operation.
std::unique_ptr<GradientOperation> make_gradient_chain(tower::RunContext& context,
                                                       abi::Instance& owner, std::string name,
                                                       GradientProcessors processors,
                                                       std::vector<runtime::Variable*> variables);

}  // namespace broch::optimizer
