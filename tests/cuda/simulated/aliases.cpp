// aliases.cpp: tensors of a device as tensors of the CPU.
#include "aliases.hpp"

#include <c10/core/CPUAllocator.h>
#include <c10/core/TensorImpl.h>

#include <cstring>

#include "memory.hpp"
#include "streams.hpp"

namespace broch::simulated {
namespace {

at::Tensor tensor_on(const c10::Storage& storage, c10::DispatchKey key, const at::Tensor& like) {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(key), like.dtype());
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(),
                                                      like.storage_offset());
  return tensor;
}

void check_stream(const at::Tensor& tensor) {
  const c10::StreamId stream = current_stream(tensor.get_device());
  TORCH_CHECK(may_use(tensor.storage().data(), stream),
              "memory of another stream is used on stream ", stream, " of ", tensor.device(),
              " without recordDataPtrOnStream");
}

c10::Storage alias_of(const c10::Storage& storage) {
  void* const memory = host_address(storage.data());
  return {c10::Storage::use_byte_size_t(), storage.nbytes(), at::DataPtr(memory, c10::kCPU),
          c10::GetCPUAllocator(), /*resizable=*/true};
}

template <class List, class Change>
List changed(const List& list, Change change) {
  List result = list.copy();
  for (size_t i = 0; i < list.size(); ++i) result.set(i, change(list.get(i)));
  return result;
}

}  // namespace

void Aliases::require_one_device(const std::string& name) const {
  const bool is_one = devices_of_tensors_.size() <= 1;
  TORCH_CHECK(is_one, name, ": expected all tensors on one device, found several");
  TORCH_CHECK(devices_of_tensors_.empty() || !has_own_memory_of_host_, name,
              ": expected all tensors on one device, found a device and the CPU");
}

c10::DeviceIndex Aliases::device() const { return device_.value_or(current_device()); }

at::Tensor Aliases::on_host(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  if (!tensor.is_cuda()) {
    has_own_memory_of_host_ |= tensor.dim() > 0;
    return tensor;
  }
  if (!device_) device_ = tensor.device().index();
  devices_of_tensors_.insert(tensor.device().index());
  check_stream(tensor);
  const c10::Storage& storage = tensor.storage();
  const auto [found, is_new] = hosts_.try_emplace(storage.unsafeGetStorageImpl());
  if (is_new) {
    found->second = alias_of(storage);
    devices_.emplace(found->second.unsafeGetStorageImpl(), storage);
  }
  return tensor_on(found->second, c10::DispatchKey::CPU, tensor);
}

at::Tensor Aliases::new_on_device(const at::Tensor& host) {
  const OnDevice on(device());
  const size_t bytes = host.storage().nbytes();
  const c10::Storage storage(c10::Storage::use_byte_size_t(), bytes,
                             device_allocator()->allocate(bytes), device_allocator(), true);
  if (bytes) std::memcpy(host_address(storage.data()), host.storage().data(), bytes);
  return tensor_on(storage, c10::DispatchKey::CUDA, host);
}

at::Tensor Aliases::on_device(const at::Tensor& result) {
  if (!result.defined()) return result;
  const auto found = devices_.find(result.storage().unsafeGetStorageImpl());
  if (found == devices_.end()) return new_on_device(result);
  return tensor_on(found->second, c10::DispatchKey::CUDA, result);
}

void Aliases::follow(const at::Tensor& tensor, const at::Tensor& host) {
  const c10::Storage& memory = tensor.storage();
  if (host.storage().data() != host_address(memory.data()) ||
      host.storage().nbytes() != memory.nbytes()) {  // the operator has resized it
    const at::Tensor moved = new_on_device(host);
    memory.set_data_ptr_noswap(std::move(moved.storage().mutable_data_ptr()));
    memory.set_nbytes(host.storage().nbytes());
  }
  if (tensor.sizes() != host.sizes() || tensor.strides() != host.strides())
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(host.sizes(), host.strides(),
                                                        host.storage_offset());
}

c10::IValue Aliases::argument(const c10::IValue& value) {
  const auto host = [this](const at::Tensor& tensor) { return on_host(tensor); };
  const auto optional_host = [this](const std::optional<at::Tensor>& tensor) {
    return tensor ? std::optional(on_host(*tensor)) : std::nullopt;
  };
  if (value.isTensor()) return on_host(value.toTensor());
  if (value.isTensorList()) return changed(value.toTensorList(), host);
  if (value.isOptionalTensorList()) return changed(value.toOptionalTensorList(), optional_host);
  if (value.isGenerator() && value.toGenerator().device().is_cuda()) {
    generator_ = value.toGenerator();
    return {};
  }
  if (!value.isDevice() || !value.toDevice().is_cuda()) return value;
  device_ = value.toDevice().has_index() ? value.toDevice().index() : current_device();
  return c10::Device(c10::kCPU);
}

c10::IValue Aliases::result(const c10::IValue& value) {
  if (value.isTensor()) return on_device(value.toTensor());
  if (!value.isTensorList()) return value;
  return changed(value.toTensorList(),
                 [this](const at::Tensor& tensor) { return on_device(tensor); });
}

}  // namespace broch::simulated
