// after.hpp: what an optimizer does to variables after their update.
#pragma once
#include <vector>

#include "mapped_operator.hpp"
#include "optimizer/optimizers.hpp"

namespace broch::optimizer {

// An AfterUpdate of the entry, with the variables of one application.
struct Optimizers::After {
  MappedOperator map;
  bool assigns;
  std::vector<runtime::Variable*> variables;

  void run(runtime::VariableStore& store) const {
    runtime::Backend& backend = store.backend();
    const runtime::VariableWrites::Write write(store.writes());
    const auto guard = backend.enter(/*gradients=*/false, nullptr);
    for (const runtime::Variable* variable : variables) {
      const runtime::Tensor value = map({}, backend.detach(variable->value));
      if (assigns) backend.assign(variable->value, value);
    }
  }
};

}  // namespace broch::optimizer
