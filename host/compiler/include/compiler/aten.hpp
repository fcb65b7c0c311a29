// aten.hpp: converts between at::Tensor and runtime::Tensor, and their dtypes, devices and errors.
#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "compiler/names.hpp"
#include "runtime/tensor.hpp"

namespace broch::compiler {

extern const Counting kCounting;

// Adds a reference; nullptr is the undefined tensor.
inline at::Tensor to_aten(void* impl) {
  using Pointer = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  if (!impl) return {};
  return at::Tensor(Pointer::unsafe_reclaim_from_nonowning(static_cast<c10::TensorImpl*>(impl)));
}
inline at::Tensor to_aten(const Tensor& tensor) { return to_aten(tensor.impl()); }
std::vector<at::Tensor> to_aten(std::span<const Tensor> tensors);

// Returns the reference as a plain pointer; nullptr is the undefined tensor.
inline void* release(at::Tensor tensor) {
  return tensor.defined() ? tensor.unsafeReleaseTensorImpl() : nullptr;
}
inline Tensor from_aten(at::Tensor tensor) { return {release(std::move(tensor)), &kCounting}; }
std::vector<Tensor> from_aten(std::vector<at::Tensor> tensors);

// Both throw base::Error for a dtype that the other side does not have.
at::ScalarType to_aten(broch_dtype dtype);
broch_dtype from_aten(at::ScalarType type);
// Logical CPU devices share one memory.
at::Device to_aten(Device device);

// Called in a catch block. Rethrows an exception of LibTorch as base::Error with this `where`; a
// base::Error is rethrown unchanged.
[[noreturn]] void rethrow(std::string_view where);

template <class Body>
decltype(auto) at_place(std::string_view where, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    rethrow(where);
  }
}

}  // namespace broch::compiler
