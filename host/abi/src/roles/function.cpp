// function.cpp: the role function.
#include "abi/roles/function.hpp"

namespace broch::abi {

Function::Function(Instance& instance) : RoleOf(instance, BROCH_ROLE_FUNCTION) {
  require_entry(instance, BROCH_ROLE_FUNCTION, "call", table_.call);
}

broch_status Function::call(const broch_function_args& args, double* result) {
  return invoke(*instance_, "call", Role::main, kMayBeNone | kMayStop,
                [&] { return table_.call(self_, &args, result); });
}

}  // namespace broch::abi
