// refuse.hpp: the error for a plugin's mistake in a call of a host function.
#pragma once
#include "abi/serve.hpp"
#include "base/error.hpp"

namespace broch::abi {

[[noreturn]] inline void refuse(broch_status status, const base::Diagnostic& diagnostic) {
  throw CallError(status, base::Error(base::Exit::training, diagnostic).what());
}

// The object of type T that the run provides. Throws CallError if the run provides none, or not
// yet.
template <class T>
T& need(Instance& instance, const char* function) {
  if (T* object = instance.context().find<T>()) return *object;
  refuse(BROCH_E_FAILED_PRECONDITION, {.where = function,
                                       .found = "a program that runs no model",
                                       .expected = "a command that trains, evaluates or plans",
                                       .hint = "call it from setup_graph on, not in create"});
}

}  // namespace broch::abi
