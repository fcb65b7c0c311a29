// service.hpp: an instance that implements broch.service/1, which runs something beside training.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/plugin/service.h"

namespace broch::abi {

class Service : public RoleOf<broch_plugin_service> {
 public:
  static bool plays(Instance& instance);
  static Service make(Instance& instance) { return Service(instance); }

  // The program's signals are blocked meanwhile, so that threads it starts have them blocked, too.
  void start();
  void stop();

 private:
  explicit Service(Instance& instance);
};

}  // namespace broch::abi
