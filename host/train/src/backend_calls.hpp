// backend_calls.hpp: operators that the host itself calls on tensors.
#pragma once
#include <initializer_list>
#include <span>
#include <vector>

#include "runtime/backend.hpp"
#include "runtime/placement.hpp"

namespace broch::train {

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

// The list stays the caller's.
inline runtime::RawValue raw(const std::vector<broch_tensor>& tensors) {
  runtime::RawValue value{BROCH_TAG_TENSORS, static_cast<uint32_t>(tensors.size()), {}};
  value.u.tensors = tensors.data();
  return value;
}

constexpr runtime::RawValue kNone{BROCH_TAG_NONE, 0, {}};

// Beside another one: gradients are where their variables are, which may be on several devices.
inline runtime::Tensor beside(runtime::Backend& backend, const runtime::Tensor& other,
                              const runtime::Tensor& tensor) {
  const runtime::Device device = backend.info(other).device;
  return runtime::share_memory(device, backend.info(tensor).device)
             ? tensor
             : backend.brought_to(device, tensor);
}

// REQUIRES: the operator has one result, a tensor.
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

}  // namespace broch::train
