// memory.cpp: from the strides of a tensor to its bytes.
#include "runtime/memory.hpp"

namespace broch::runtime {

Memory memory_of(Backend& backend, const Tensor& tensor) {
  const broch_dl_tensor view = backend.view(tensor);
  int64_t last = 0;  // offset of the last element, in elements
  for (int32_t i = 0; i < view.ndim; ++i) {
    if (view.shape[i] == 0) return {};
    last += (view.shape[i] - 1) * view.strides[i];
  }
  return {static_cast<const std::byte*>(view.data) + view.byte_offset,
          static_cast<size_t>(last + 1) * view.dtype.bits / 8};
}

}  // namespace broch::runtime
