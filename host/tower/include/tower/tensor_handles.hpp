// tensor_handles.hpp: from the tensor handles that plugins pass to the tensors.
#pragma once
#include "abi/instance.hpp"
#include "broch/value.h"
#include "runtime/lend.hpp"
#include "runtime/variables.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// Where a plugin passed a handle, for messages. The text is put together only when the handle is
// refused.
struct Place {
  const char* function;  // "operator aten::relu", "publish"
  const char* argument = nullptr;
  uint32_t index = 0;  // number of the argument, if it has no name
};

using runtime::lend;

// Returns a tensor for reading: one borrowed in the current call, or any tensor that the instance
// owns. Throws abi::CallError.
Tensor resolve_to_look(Backend& backend, abi::Instance& instance, broch_tensor handle,
                       const Place& place);

// Returns a tensor that the plugin computed in the current call. Throws abi::CallError.
Tensor resolve_computed(Backend& backend, abi::Instance& instance, broch_tensor handle,
                        const Place& place);

broch_variable variable_handle(const VariableStore& store, const Variable& variable);

}  // namespace broch::tower
