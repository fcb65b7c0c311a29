// operator_choice.hpp: the operator of the host for a node.
#pragma once
#include "models/exported/scope.hpp"

namespace exported {

// "aten::add.Tensor" of "torch.ops.aten.add.Tensor"; "" of what is no operator.
std::string operator_name(const std::string& target);

// Whether an operator does nothing here: it checks for torch.export what the example was like.
bool is_check(const std::string& name);

// name: that of the node's operator. The choice may be another one that does the same, see the
// source. Throws Refusal if the host has no such operator.
const HostOperator* operator_for(HostOperators& operators, const Scope& scope, const Node& node,
                                 const std::string& name);

}  // namespace exported
