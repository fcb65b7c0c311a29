// operation.hpp: operations over variables that plugins define as objects (ext/operation.h).
//
// An operation is a tower without inputs and without a cost; its updates are committed together.
// It has a single runner, used both when a plugin runs the operation and when a plan does. Both
// happen on [main], and never at the same time.
#pragma once
#include <string>

#include "broch/ext/operation.h"
#include "replay/names.hpp"
#include "replay/tower_runner.hpp"

namespace broch::replay {

// Returns the runner of the operation that this handle of the instance refers to. The runner lives
// as long as the instance. Throws abi::CallError.
TowerRunner& operation_runner(abi::Instance& instance, broch_operation op);
// Runs the operation and commits its updates. number: the counter for its random draws. by: the
// instance that runs it, or nullptr if a plan does.
void run_operation(TowerRunner& operation, uint64_t number, const abi::Instance* by = nullptr);

}  // namespace broch::replay
