// handles.hpp: tensors and variables behind the numbers that plugins pass.
#pragma once
#include <vector>

#include "domain.hpp"
#include "tower/names.hpp"
#include "tower/tensor_handles.hpp"
#include "tower_call.hpp"

namespace broch::tower {

inline broch_tensor lend(Valued value) { return lend(std::move(value.tensor), value.tags); }

// A tensor for computing: borrowed and of this very call inside towers and custom functions;
// outside also one that the instance owns (instance may be nullptr: it owns none). Throws
// abi::CallError.
Valued resolve(Backend& backend, abi::Instance* instance, broch_tensor handle, const Place& place);
// The same without counting a borrowed one: its implementation is valid until the scope ends, an
// owned one is kept alive by `owned`. Adds to *tags.
void* resolve_raw(Backend& backend, abi::Instance* instance, broch_tensor handle,
                  const Place& place, uint64_t* tags, std::vector<Tensor>* owned);

Variable& variable_at(VariableStore& store, broch_variable handle, const char* function);

// Where the elements of a tensor lie; size 0 when it has none.
struct Memory {
  const std::byte* begin = nullptr;
  size_t size = 0;
  bool holds(const void* data) const {
    const auto* at = static_cast<const std::byte*>(data);
    return at >= begin && at < begin + size;
  }
};
Memory memory_of(Backend& backend, const Tensor& tensor);
inline bool shares_memory(Backend& backend, const Tensor& tensor, const void* data) {
  return memory_of(backend, tensor).holds(data);
}

// A tower that reads a value on the host cannot be recorded.
void note_host_read(const char* how);

}  // namespace broch::tower
