// memory.hpp: where the elements of tensors lie.
#pragma once
#include <cstddef>

#include "runtime/backend.hpp"

namespace broch::runtime {

// Where the elements of a tensor lie; size 0 if it has none.
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

}  // namespace broch::runtime
