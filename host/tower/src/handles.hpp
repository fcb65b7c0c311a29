// handles.hpp: from the handles that plugins pass to tensors and variables.
#pragma once
#include <vector>

#include "domain.hpp"
#include "runtime/memory.hpp"
#include "tower/names.hpp"
#include "tower/tensor_handles.hpp"
#include "tower_call.hpp"

namespace broch::tower {

inline broch_tensor lend(Valued value) { return lend(std::move(value.tensor), value.tags); }

// Returns a tensor to compute with. In towers and custom functions it must have been borrowed in
// this very call; outside of them the instance may also own it (instance may be nullptr). Throws
// abi::CallError.
Valued resolve(Backend& backend, abi::Instance* instance, broch_tensor handle, const Place& place);
// The same without counting a reference to a borrowed tensor: the pointer is valid until the scope
// ends. An owned tensor is kept alive in `owned`. Adds its tags to *tags.
void* resolve_raw(Backend& backend, abi::Instance* instance, broch_tensor handle,
                  const Place& place, uint64_t* tags, std::vector<Tensor>* owned);

Variable& variable_at(VariableStore& store, broch_variable handle, const char* function);

// Tells the recording that a value was read on the host; such a tower cannot be recorded.
void note_host_read(const char* how);

}  // namespace broch::tower
