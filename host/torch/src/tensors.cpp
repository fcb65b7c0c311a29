// tensors.cpp: makes, inspects and copies tensors.
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "compiler/aten.hpp"
#include "cuda_half.hpp"
#include "initializers.hpp"
#include "rows.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

std::string in_words(const at::Tensor& tensor) {
  return std::string(dtype_name(from_aten(tensor.scalar_type()))) + " " + c10::str(tensor.sizes());
}

at::Tensor drawn(const broch_variable_spec& spec, uint64_t key) {
  const at::ScalarType dtype = to_aten(spec.dtype);
  if (!at::isFloatingType(dtype)) {
    base::fail(base::Exit::training, "initializer",
               std::string("found dtype ") + dtype_name(spec.dtype), "a floating-point dtype",
               "other variables take constant or values");
  }
  std::vector<double> values = drawn_values(spec, key);
  const at::Tensor doubles = at::from_blob(values.data(), {spec.shape, spec.rank}, at::kDouble);
  return doubles.to(dtype, /*non_blocking=*/false, /*copy=*/true);
}

void check_spec(const broch_variable_spec& spec) {
  if (spec.rank > BROCH_RANK_MAX) {
    base::fail(base::Exit::training, "initializer", "found rank " + std::to_string(spec.rank),
               "at most " + std::to_string(BROCH_RANK_MAX), "merge dimensions");
  }
  const std::span<const int64_t> shape(spec.shape, spec.rank);
  const auto negative = std::find_if(shape.begin(), shape.end(), [](int64_t d) { return d < 0; });
  if (negative != shape.end()) {
    base::fail(base::Exit::training, "initializer", "found dimension " + std::to_string(*negative),
               "0 or more", "variables have fixed shapes: give every dimension");
  }
}

}  // namespace

Tensor TorchBackend::zeros(broch_dtype dtype, const Shape& shape, Device device) {
  return at_place("zeros", [&] {
    const auto options = at::TensorOptions(to_aten(device)).dtype(to_aten(dtype));
    return from_aten(at::zeros({shape.dims.data(), shape.rank}, options));
  });
}

TensorInfo TorchBackend::info(const Tensor& tensor) {
  const auto* impl = static_cast<const c10::TensorImpl*>(tensor.impl());
  const at::IntArrayRef sizes = impl->sizes();
  if (sizes.size() > BROCH_RANK_MAX) {
    base::fail(base::Exit::training, "tensor", "found rank " + std::to_string(sizes.size()),
               "at most " + std::to_string(BROCH_RANK_MAX), "merge dimensions");
  }
  TensorInfo info;
  info.dtype = from_aten(impl->dtype().toScalarType());
  info.shape.rank = static_cast<uint32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), info.shape.dims.begin());
  if (impl->device().is_cuda()) info.device = {BROCH_DL_CUDA, impl->device().index()};
  info.requires_grad = impl->requires_grad();
  return info;
}

int64_t TorchBackend::elements(const Tensor& tensor) {
  return static_cast<const c10::TensorImpl*>(tensor.impl())->numel();
}

double TorchBackend::item(const Tensor& tensor) {
  return at_place("item", [&] {
    const at::Tensor value = to_aten(tensor);
    if (value.numel() != 1 || value.is_complex()) {
      base::fail(base::Exit::training, "item", "found " + in_words(value), "one real element",
                 "reduce it first");
    }
    return value.item().toDouble();
  });
}

void TorchBackend::copy_out(const Tensor& tensor, broch_dtype dtype, void* bytes, size_t size) {
  at_place("copy_out", [&] {
    const at::Tensor value = to_aten(tensor).detach();
    const at::ScalarType type = dtype ? to_aten(dtype) : value.scalar_type();
    const size_t needed = static_cast<size_t>(value.numel()) * c10::elementSize(type);
    if (size != needed) {
      base::fail(base::Exit::training, "copy_out",
                 "found room for " + std::to_string(size) + " bytes",
                 std::to_string(needed) + " for " + in_words(value), "ask info for the shape");
    }
    if (size) at::from_blob(bytes, value.sizes(), type).copy_(value);
  });
}

Tensor TorchBackend::copy(const Tensor& tensor, Device device) {
  return at_place("copy", [&] {
    const at::Tensor value = to_aten(tensor).detach();
    return from_aten(value.to(to_aten(device), value.scalar_type(), false, /*copy=*/true));
  });
}

Tensor TorchBackend::detach(const Tensor& tensor) {
  return at_place("detach", [&] { return from_aten(to_aten(tensor).detach()); });
}

Tensor TorchBackend::brought_to(Device device, const Tensor& tensor) {
  return at_place("copy to " + to_string(device),
                  [&] { return from_aten(to_aten(tensor).to(to_aten(device))); });
}

std::vector<Tensor> TorchBackend::sum_over_devices(std::span<const Tensor> lists, size_t n) {
  if (lists.empty() || info(lists[0]).device.type != BROCH_DL_CUDA) return {};
  std::vector<at::Tensor> given, sums;
  for (const Tensor& tensor : lists) given.push_back(to_aten(tensor));
  std::vector<Tensor> results;
  at_place("sum over devices by NCCL", [&] {
    if (cuda_half().sum(given, n, sums))
      for (at::Tensor& sum : sums) results.push_back(from_aten(std::move(sum)));
  });
  return results;
}

uint64_t TorchBackend::writes_to(const Tensor& tensor) {
  return static_cast<uint64_t>(to_aten(tensor)._version());
}

void TorchBackend::assign(const Tensor& target, const Tensor& value) {
  const auto* const there = static_cast<const c10::TensorImpl*>(target.impl());
  const auto* const here = static_cast<const c10::TensorImpl*>(value.impl());
  if (there->has_storage() && here->has_storage() && there->data() == here->data() &&
      there->sizes() == here->sizes() && there->strides() == here->strides() &&
      there->dtype() == here->dtype())
    return;  // it was computed in this memory
  at_place("assign", [&] {
    const at::Tensor to = to_aten(target), from = whole(to_aten(value));
    if (to.sizes() != from.sizes() || to.scalar_type() != from.scalar_type()) {
      base::fail(base::Exit::training, "assign", "found " + in_words(from),
                 in_words(to) + " like the variable", "reshape or convert the value");
    }
    // The alias has its own version counter, since autograd graphs of other towers may refer to the
    // variable.
    to.variable_data().copy_(from.detach());
  });
}

Tensor TorchBackend::initial(const broch_variable_spec& spec, uint64_t key, Device device) {
  return at_place("initializer", [&] {
    check_spec(spec);
    const at::IntArrayRef shape(spec.shape, spec.rank);
    if (spec.initializer == BROCH_INIT_VALUES) {
      const at::Tensor values = to_aten(copy_in(*spec.values, device));
      if (values.sizes() != shape || values.scalar_type() != to_aten(spec.dtype)) {
        base::fail(base::Exit::training, "initializer", "found values " + in_words(values),
                   std::string(dtype_name(spec.dtype)) + " " + c10::str(shape),
                   "give them like the spec");
      }
      return from_aten(values);
    }
    if (spec.initializer == BROCH_INIT_CONSTANT) {
      const auto options = at::TensorOptions(to_aten(device)).dtype(to_aten(spec.dtype));
      return from_aten(at::full(shape, spec.a, options));
    }
    return from_aten(drawn(spec, key).to(to_aten(device)));
  });
}

}  // namespace broch::libtorch
