// sink.hpp: a plugin in the role sink.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/role/sink.h"

namespace broch::abi {

class Sink : public RoleOf<broch_sink> {
 public:
  static Sink make(Instance& instance) { return Sink(instance); }

  void open(const char* path);
  void put(broch_point point);
  void close();

 private:
  explicit Sink(Instance& instance);
};

}  // namespace broch::abi
