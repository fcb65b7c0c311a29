// aten.hpp: at::Tensor on one side, runtime::Tensor on the other, and errors between them.
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

// One more reference; nullptr is the undefined tensor.
inline at::Tensor to_aten(void* impl) {
  using Pointer = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  if (!impl) return {};
  return at::Tensor(Pointer::unsafe_reclaim_from_nonowning(static_cast<c10::TensorImpl*>(impl)));
}
inline at::Tensor to_aten(const Tensor& tensor) { return to_aten(tensor.impl()); }
std::vector<at::Tensor> to_aten(std::span<const Tensor> tensors);

// The reference as a plain pointer; nullptr for the undefined tensor.
inline void* release(at::Tensor tensor) {
  return tensor.defined() ? tensor.unsafeReleaseTensorImpl() : nullptr;
}
inline Tensor from_aten(at::Tensor tensor) { return {release(std::move(tensor)), &kCounting}; }
std::vector<Tensor> from_aten(std::vector<at::Tensor> tensors);

// Throw base::Error for a dtype that has no counterpart.
at::ScalarType to_aten(broch_dtype dtype);
broch_dtype from_aten(at::ScalarType type);
// Logical CPU devices share one memory.
at::Device to_aten(Device device);

// In a catch block: what LibTorch threw as base::Error at this place; base::Error stays itself.
[[noreturn]] void rethrow(std::string_view place);

template <class Body>
decltype(auto) at_place(std::string_view place, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    rethrow(place);
  }
}

}  // namespace broch::compiler
