// model.cpp: the role model.
#include "abi/roles/model.hpp"

#include "collector.hpp"

namespace broch::abi {
namespace {

using Signature = Collector<std::vector<InputSpec>>;

broch_status add_input(void* context, const broch_input_spec* input) {
  return Signature::collect(context, [&](std::vector<InputSpec>& inputs) {
    inputs.push_back(read_input_spec(*given(input, "signature", "input"), inputs));
  });
}

}  // namespace

Model::Model(Instance& instance) : RoleOf(instance, BROCH_ROLE_MODEL) {
  require_entry(instance, BROCH_ROLE_MODEL, "inputs", table_.inputs);
  require_entry(instance, BROCH_ROLE_MODEL, "tower", table_.tower);
}

std::vector<InputSpec> Model::inputs() {
  Signature signature;
  const broch_signature adder{sizeof adder, 0, &signature, add_input};
  invoke(*instance_, "inputs", Role::main, kOnlyOk,
         [&] { return signature.end(table_.inputs(self_, &adder)); });
  return std::move(signature.list);
}

void Model::tower(broch_tower tower, const broch_tensor* inputs, uint32_t n,
                  const std::function<void(broch_tensor cost)>& keep) const {
  invoke(*instance_, "tower", Role::step, kOnlyOk, [&] {
    broch_tensor cost = 0;
    const broch_status status = table_.tower(self_, tower, inputs, n, &cost);
    if (status == BROCH_OK) keep(cost);
    return status;
  });
}

bool Model::example(broch_point point) {
  bool has_one = table_.example;
  if (has_one)
    invoke(*instance_, "example", Role::main, kOnlyOk, [&] {
      const broch_status status = table_.example(self_, point);
      if (!says_unimplemented(status)) return status;
      has_one = false;
      return broch_status{BROCH_OK};
    });
  return has_one;
}

std::string Model::optimizer() {
  TextCollector text;
  const broch_writer writer = text.writer();
  if (table_.optimizer)
    invoke(*instance_, "optimizer", Role::main, kOnlyOk, [&] {
      const broch_status status = table_.optimizer(self_, &writer);
      return says_unimplemented(status) ? BROCH_OK : text.end(status);
    });
  return std::move(text.list);
}

}  // namespace broch::abi
