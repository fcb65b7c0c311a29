// state.hpp: an instance that implements broch.state/1: its state is saved and loaded.
#pragma once
#include <string>
#include <string_view>

#include "abi/roles/role.hpp"
#include "broch/plugin/state.h"

namespace broch::abi {

class State : public RoleOf<broch_plugin_state> {
 public:
  static bool plays(Instance& instance);
  static State make(Instance& instance) { return State(instance); }

  uint32_t version() const { return table_.version; }
  std::string save();
  // Throws base::Error (checkpoint) if `version` is newer than the plugin's version of the state.
  void load(uint32_t version, std::string_view bytes);

 private:
  explicit State(Instance& instance);
};

}  // namespace broch::abi
