// callback.hpp: a plugin in the role callback.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/role/callback.h"

namespace broch::abi {

class Callback : public RoleOf<broch_callback> {
 public:
  static bool plays(Instance& instance);
  static Callback make(Instance& instance) { return Callback(instance); }

  bool has_before_run() const { return table_.before_run; }
  bool has_after_run() const { return table_.after_run; }
  bool has_trigger_step() const { return table_.trigger_step; }
  bool has_trigger() const { return table_.trigger; }

  // Each returns BROCH_OK, BROCH_STOP or BROCH_CANCELLED; BROCH_OK if the entry is missing.
  broch_status setup_graph();
  broch_status before_train();
  broch_status after_train();
  broch_status before_epoch();
  broch_status after_epoch();
  broch_status before_run(broch_run run, uint64_t* fetches);
  broch_status after_run(broch_run run);
  broch_status trigger_step();
  broch_status trigger_epoch();  // if missing, calls trigger
  broch_status trigger();

 private:
  explicit Callback(Instance& instance);
};

}  // namespace broch::abi
