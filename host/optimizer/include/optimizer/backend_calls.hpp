// backend_calls.hpp: calls of operators by the host itself.
#pragma once
#include <initializer_list>
#include <span>
#include <vector>

#include "runtime/backend.hpp"
#include "runtime/placement.hpp"

namespace broch::optimizer {

inline runtime::RawValue raw(const runtime::Tensor& tensor) {
  runtime::RawValue value{BROCH_TAG_TENSOR, 0, {}};
  value.u.tensor = reinterpret_cast<uint64_t>(tensor.impl());
  return value;
}

inline runtime::RawValue raw(double number) {
  runtime::RawValue value{BROCH_TAG_DOUBLE, 0, {}};
  value.u.f64 = number;
  return value;
}

inline runtime::RawValue raw(bool flag) {
  runtime::RawValue value{BROCH_TAG_BOOL, 0, {}};
  value.u.i64 = flag;
  return value;
}

inline runtime::RawValue raw(int64_t number) {
  runtime::RawValue value{BROCH_TAG_INT, 0, {}};
  value.u.i64 = number;
  return value;
}

// Points to the caller's list, which must live as long as the value.
inline runtime::RawValue raw(const std::vector<broch_tensor>& tensors) {
  runtime::RawValue value{BROCH_TAG_TENSORS, static_cast<uint32_t>(tensors.size()), {}};
  value.u.tensors = tensors.data();
  return value;
}

constexpr runtime::RawValue kNone{BROCH_TAG_NONE, 0, {}};

// Returns the tensor on the device of another one. Gradients are on their variables' devices,
// which may be several.
inline runtime::Tensor beside(runtime::Backend& backend, const runtime::Tensor& other,
                              const runtime::Tensor& tensor) {
  const runtime::Device device = backend.info(other).device;
  return runtime::share_memory(device, backend.info(tensor).device)
             ? tensor
             : backend.brought_to(device, tensor);
}

// REQUIRES: the operator returns one tensor.
inline runtime::Tensor call(runtime::Backend& backend, runtime::Operator* op,
                            std::span<const runtime::RawValue> args) {
  runtime::RawValue result{};
  backend.call(op, args.data(), static_cast<uint32_t>(args.size()), &result, 1);
  return {reinterpret_cast<void*>(result.u.tensor), &backend.counting()};
}

inline runtime::Tensor call(runtime::Backend& backend, runtime::Operator* op,
                            std::initializer_list<runtime::RawValue> args) {
  return call(backend, op, std::span(args.begin(), args.size()));
}

// Converts a floating-point tensor to another floating-point dtype. A scalar tensor can have the
// wrong one, because a hyper-parameter it was combined with decided its dtype.
inline runtime::Tensor as_dtype(runtime::Backend& backend, const runtime::Tensor& tensor,
                                broch_dtype dtype) {
  const broch_dtype found = backend.info(tensor).dtype;
  if (found == dtype || !runtime::is_floating(found) || !runtime::is_floating(dtype)) return tensor;
  runtime::RawValue wanted{BROCH_TAG_DTYPE, 0, {}};
  wanted.u.i64 = dtype;
  return call(backend,
              backend.resolve("aten::to.dtype(Tensor(a) self, ScalarType dtype, bool "
                              "non_blocking=False, bool copy=False, MemoryFormat? "
                              "memory_format=None) -> Tensor(a)"),
              {raw(tensor), wanted, raw(false), raw(false), kNone});
}

}  // namespace broch::optimizer
