// service.hpp: what an instance that answers broch.service/1 runs beside training.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/ext/service.h"

namespace broch::abi {

class Service : public RoleOf<broch_service> {
 public:
  static bool plays(Instance& instance);
  static Service make(Instance& instance) { return Service(instance); }

  // With signals of the program blocked for threads that it starts.
  void start();
  void stop();

 private:
  explicit Service(Instance& instance);
};

}  // namespace broch::abi
