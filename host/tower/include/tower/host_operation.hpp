// host_operation.hpp: what the host itself computes with operators. It is wrapped as a tower, so
// it is recorded, verified, audited and replayed by the same rules.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

struct HostOperation {
  std::string name;     // for messages and for the keys of random draws
  std::string vs_name;  // the replica whose variables it makes and finds; "": the main one
  Device device;
  std::vector<abi::InputSpec> inputs;
  std::vector<std::string> outputs;  // names; none may be the name of an input
  // Takes and returns tensors by position. Like a tower function it is a description: it computes
  // with operators only, does the same in each call, and writes to none of its inputs.
  std::function<std::vector<Tensor>(std::span<const Tensor> inputs)> function;
};

// For use inside such a function: the value that the variable has in each run of the operation.
Tensor read_in_operation(Variable& variable);
// For use inside such a function: sets the value that the variable gets when the updates are
// committed.
void update_in_operation(Variable& variable, Tensor value);
// For use inside such a function: the handle that a plugin called from it passes to extensions as
// the tower.
broch_tower operation_scope();

// Makes and defines the tower on behalf of the instance. The outputs are published after the
// inputs, in their order. REQUIRES: what the function refers to lives as long as the tower.
std::unique_ptr<Tower> make_operation(RunContext& context, HostOperation operation,
                                      abi::Instance& instance);

}  // namespace broch::tower
