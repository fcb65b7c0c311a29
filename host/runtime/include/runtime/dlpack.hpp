// dlpack.hpp: checking and reading tensors in plain memory that somebody else made.
#pragma once
#include <utility>

#include "broch/dlpack.h"
#include "runtime/tensor.hpp"

namespace broch::runtime {

// What it is. Throws base::Error (Exit::data) for more than BROCH_RANK_MAX dimensions, a negative
// one, an element type without a broch_dtype, an unknown device, or elements without memory.
TensorInfo describe_dl(const broch_dl_tensor& data);

// Bytes of all elements, compact. REQUIRES: described without an error.
size_t dl_bytes(const broch_dl_tensor& data);
// Copies the elements, compact and row-major. REQUIRES: CPU memory, described without an error.
void dl_copy(const broch_dl_tensor& data, void* bytes);

// A compact copy in memory of its own. REQUIRES: CPU memory, described without an error.
broch_dl_managed* dl_clone(const broch_dl_tensor& data);
// Compact memory of the host's own, not filled.
broch_dl_managed* dl_allocate(broch_dtype dtype, const Shape& shape);
// Calls the deleter if there is one; NULL is fine.
void dl_delete(broch_dl_managed* data);

// Frees memory that a call has taken, unless it was passed on.
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
