// host_operation.hpp: what the host itself computes with operators, as a tower: so it is recorded,
// verified, audited and replayed by the same rules.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

struct HostOperation {
  std::string name;  // for messages and the keys of draws
  Device device;
  std::vector<abi::InputSpec> inputs;
  std::vector<std::string> outputs;  // names, none of them an input's
  // From tensors by position to tensors by position. A description, like a tower function: computes
  // with operators alone, the same in each call, and writes to none of the inputs.
  std::function<std::vector<Tensor>(std::span<const Tensor> inputs)> function;
};

// In such a function: the value of a variable, as it is in each run.
Tensor read_in_operation(Variable& variable);
// In such a function: what the variable becomes when the run's updates are committed.
void update_in_operation(Variable& variable, Tensor value);
// In such a function: what a plugin that takes part in it passes where extensions take a tower.
broch_tower operation_scope();

// Defined, in the name of the instance. Outputs are published behind the inputs, in their order.
// REQUIRES: the function is valid as long as the tower.
std::unique_ptr<Tower> make_operation(RunContext& world, HostOperation operation,
                                      abi::Instance& instance);

}  // namespace broch::tower
