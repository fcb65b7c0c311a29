// sink.hpp: a plugin in the role sink.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/role/dataflow.h"
#include "broch/role/sink.h"

namespace broch::abi {

class Sink : public RoleOf<broch_sink> {
 public:
  // cancel: once it asks to give up, put and close may do so; nullptr: never.
  static Sink make(Instance& instance, const broch_cancel* cancel = nullptr) {
    return {instance, cancel};
  }

  void open(const char* path);
  // False: it has given up.
  bool put(broch_point point);
  bool close();

 private:
  Sink(Instance& instance, const broch_cancel* cancel);
  bool completes(const char* hook, broch_status status) const;

  const broch_cancel* cancel_;
};

}  // namespace broch::abi
