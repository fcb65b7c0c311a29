// host_operation.cpp: from a function over tensors to a tower function.
#include "tower/host_operation.hpp"

#include "handles.hpp"

namespace broch::tower {

std::unique_ptr<Tower> make_operation(RunContext& context, HostOperation operation,
                                      abi::Instance& instance) {
  TowerSpec spec;
  spec.name = std::move(operation.name);
  spec.vs_name = std::move(operation.vs_name);
  spec.training = false;
  spec.owns_variables = false;
  spec.device = operation.device;
  spec.operation = true;
  const auto run = [&backend = *context.backend, outputs = std::move(operation.outputs),
                    function = std::move(operation.function)](
                       broch_tower, const broch_tensor* inputs, uint32_t n, const KeepCost&) {
    std::vector<Tensor> values;
    values.reserve(n);
    for (uint32_t i = 0; i < n; ++i)
      values.push_back(resolve(backend, nullptr, inputs[i], {"host operation", nullptr, i}).tensor);
    const std::vector<Tensor> results = function(values);
    for (size_t i = 0; i < outputs.size(); ++i) {
      Valued published{results[i]};
      TowerCall::current()->publish(outputs[i], published);
    }
  };
  auto tower =
      std::make_unique<Tower>(context, spec, std::move(operation.inputs), std::move(run), instance);
  tower->define({});
  return tower;
}

void update_in_operation(Variable& variable, Tensor value) {
  TowerCall::current()->update(variable, {std::move(value)}, "update");
}

broch_tower operation_scope() { return TowerCall::current()->handle(); }

Tensor read_in_operation(Variable& variable) { return TowerCall::current()->read(variable).tensor; }

}  // namespace broch::tower
