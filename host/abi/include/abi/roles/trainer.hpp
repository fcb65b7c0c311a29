// trainer.hpp: a plugin in the role trainer.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/role/trainer.h"

namespace broch::abi {

class Trainer : public RoleOf<broch_trainer> {
 public:
  static Trainer make(Instance& instance) { return Trainer(instance); }

  void setup_graph();
  bool has_run_step() const { return table_.run_step; }
  // Returns OK, STOP, END, CANCELLED or NONE. NONE: the plugin turned out not to implement it, and
  // has_run_step is false from now on.
  broch_status run_step();

 private:
  explicit Trainer(Instance& instance);
};

}  // namespace broch::abi
