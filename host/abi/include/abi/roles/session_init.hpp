// session_init.hpp: a plugin in the role session_init.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/role/session_init.h"

namespace broch::abi {

class SessionInit : public RoleOf<broch_session_init> {
 public:
  static SessionInit make(Instance& instance) { return SessionInit(instance); }

  void init();

 private:
  explicit SessionInit(Instance& instance);
};

}  // namespace broch::abi
