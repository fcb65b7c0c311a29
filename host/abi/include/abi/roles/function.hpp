// function.hpp: a plugin in the role function.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/role/function.h"

namespace broch::abi {

class Function : public RoleOf<broch_function> {
 public:
  static Function make(Instance& instance) { return Function(instance); }

  // Returns OK, NONE (there is no value) or STOP.
  broch_status call(const broch_function_args& args, double* result);

 private:
  explicit Function(Instance& instance);
};

}  // namespace broch::abi
