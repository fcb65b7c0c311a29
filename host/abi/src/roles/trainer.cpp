// trainer.cpp: the role trainer.
#include "abi/roles/trainer.hpp"

namespace broch::abi {

Trainer::Trainer(Instance& instance) : RoleOf(instance, BROCH_ROLE_TRAINER) {
  require_entry(instance, BROCH_ROLE_TRAINER, "setup_graph", table_.setup_graph);
}

void Trainer::setup_graph() {
  invoke(*instance_, "setup_graph", Role::main, kOnlyOk, [&] { return table_.setup_graph(self_); });
}

broch_status Trainer::run_step() {
  if (!table_.run_step) return BROCH_NONE;
  bool missing = false;
  constexpr Outcomes kOutcomes = kMayStop | kMayEnd | kMayCancel;
  const broch_status status = invoke(*instance_, "run_step", Role::main, kOutcomes, [&] {
    const broch_status answer = table_.run_step(self_);
    missing = says_unimplemented(answer);
    return missing ? BROCH_OK : answer;
  });
  if (!missing) return status;
  table_.run_step = nullptr;
  return BROCH_NONE;
}

}  // namespace broch::abi
