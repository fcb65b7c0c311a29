// call.hpp: a node that calls an operator of the host.
#pragma once
#include "models/exported/scope.hpp"

namespace exported {

// Completes a step whose node and operator are set: where the arguments come from, and what is
// different in evaluation. Throws Refusal if the operator cannot take the node's arguments.
void complete_call(HostOperators& operators, const Scope& scope, Step& step);

}  // namespace exported
