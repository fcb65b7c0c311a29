// graph_op.hpp: operations over variables that plugins define as objects (ext/graph.h).
//
// An operation is a tower without inputs and cost whose updates are committed together. It has one
// runner, whether a plugin runs it or a plan does: both are [main], and never at once.
#pragma once
#include <string>

#include "broch/ext/graph.h"
#include "tower/names.hpp"
#include "tower/tower_runner.hpp"

namespace broch::tower {

// The runner of the operation behind a handle of this instance. Throws abi::CallError. Valid as
// long as the instance.
TowerRunner& graph_runner(abi::Instance& instance, broch_graph_op op);
// Runs it and commits its updates. number: the counter of its draws. by: who runs it; nullptr: a
// plan.
void run_operation(TowerRunner& operation, uint64_t number, const abi::Instance* by = nullptr);

}  // namespace broch::tower
