// tensors.hpp: the runtime's tensors as LibTorch's, and back.
#pragma once
#include <ATen/core/Tensor.h>

#include "torch/fixture.hpp"

namespace broch::programs {

inline at::Tensor plain(const runtime::Tensor& tensor) {
  using Pointer = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  if (!tensor) return {};
  return at::Tensor(
      Pointer::unsafe_reclaim_from_nonowning(static_cast<c10::TensorImpl*>(tensor.impl())));
}
inline runtime::Tensor wrapped(at::Tensor tensor) {
  if (!tensor.defined()) return {};
  return {tensor.unsafeReleaseTensorImpl(), &runtime::backend().counting()};
}

}  // namespace broch::programs
