// tensor_handles.hpp: tensors as plugins hold them in callbacks.
#pragma once
#include "abi/guard.hpp"
#include "runtime/backend.hpp"

namespace broch::train {

// A handle that is borrowed until the innermost scope ends. REQUIRES: a defined tensor.
inline broch_tensor lend(runtime::Backend& backend, runtime::Tensor tensor) {
  const runtime::Counting& counting = backend.counting();
  return abi::Arena::of_this_thread().add(abi::Kind::tensor,
                                          {tensor.take(), counting.release, counting.retain}, 0);
}

// The tensor behind a borrowed or owned handle. Throws abi::CallError naming what it was for.
inline runtime::Tensor borrow(runtime::Backend& backend, abi::Instance& instance,
                              broch_tensor handle, const std::string& what) {
  const runtime::Counting& counting = backend.counting();
  const char* why = nullptr;
  if (abi::handle_kind(handle) == abi::Kind::owned_tensor) {
    const abi::Object object = instance.handles().acquire(handle, abi::Kind::owned_tensor, &why);
    if (object.pointer) return {object.pointer, &counting};
  } else if (void* impl = abi::Arena::of_this_thread().find(handle, abi::Kind::tensor, 0, &why)) {
    return runtime::Tensor::share(impl, &counting);
  }
  throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                       what + ": " + abi::explain(handle, abi::Kind::tensor, why)};
}

}  // namespace broch::train
