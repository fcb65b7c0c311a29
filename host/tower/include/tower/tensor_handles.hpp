// tensor_handles.hpp: tensors behind the numbers that plugins pass.
#pragma once
#include "abi/instance.hpp"
#include "broch/value.h"
#include "runtime/lend.hpp"
#include "runtime/variables.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// Where a handle was passed, for messages; nothing is put together unless it is refused.
struct Place {
  const char* function;  // "operator aten::relu", "publish"
  const char* argument = nullptr;
  uint32_t index = 0;  // without a name: the number of the argument
};

using runtime::lend;

// A tensor for looking at: a borrowed one of the current call, or any that the instance owns.
// Throws abi::CallError.
Tensor resolve_to_look(Backend& backend, abi::Instance& instance, broch_tensor handle,
                       const Place& place);

// What a plugin computed in the current call, by its handle. Throws abi::CallError.
Tensor resolve_computed(Backend& backend, abi::Instance& instance, broch_tensor handle,
                        const Place& place);

broch_variable variable_handle(const VariableStore& store, const Variable& variable);

}  // namespace broch::tower
