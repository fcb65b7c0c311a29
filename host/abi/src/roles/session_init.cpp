// session_init.cpp: the role session_init.
#include "abi/roles/session_init.hpp"

namespace broch::abi {

SessionInit::SessionInit(Instance& instance) : RoleOf(instance, BROCH_ROLE_SESSION_INIT) {
  require_entry(instance, BROCH_ROLE_SESSION_INIT, "init", table_.init);
}

void SessionInit::init() {
  invoke(*instance_, "init", Role::main, kOnlyOk, [&] { return table_.init(self_); });
}

}  // namespace broch::abi
