// dlpack.hpp: checks, reads and copies tensors in plain memory from plugins.
#pragma once
#include <utility>

#include "broch/dlpack.h"
#include "runtime/tensor.hpp"

namespace broch::runtime {

// Checks and describes a tensor. Throws base::Error (Exit::data) for more than BROCH_RANK_MAX
// dimensions, a negative dimension, an element type without a broch_dtype, an unknown device, or
// elements without memory.
TensorInfo describe_dl(const broch_dl_tensor& data);
// Throws base::Error (Exit::data) if the rest of `data` is not as in broch/dlpack.h: only its
// deleter may be called.
void check_dl_version(const broch_dl_managed& data);

// The number of bytes of all elements without gaps. REQUIRES: describe_dl accepts the tensor.
size_t dl_bytes(const broch_dl_tensor& data);
// Copies the elements, row-major and without gaps. REQUIRES: CPU memory; describe_dl accepts the
// tensor.
void dl_copy(const broch_dl_tensor& data, void* bytes);

// A row-major copy without gaps, with its own memory. REQUIRES: CPU memory; describe_dl accepts the
// tensor.
broch_dl_managed* dl_clone(const broch_dl_tensor& data);
// Memory of the host, not initialized and without gaps.
broch_dl_managed* dl_allocate(broch_dtype dtype, const Shape& shape);
// Calls the deleter, if there is one; data may be NULL.
void dl_delete(broch_dl_managed* data);

// Frees memory that a function has taken over, unless release() was called.
class DlpackOwner {
 public:
  explicit DlpackOwner(broch_dl_managed* data) : data_(data) {}
  ~DlpackOwner() { dl_delete(data_); }
  DlpackOwner(const DlpackOwner&) = delete;
  DlpackOwner& operator=(const DlpackOwner&) = delete;
  broch_dl_managed* release() { return std::exchange(data_, nullptr); }

 private:
  broch_dl_managed* data_;
};

}  // namespace broch::runtime
