// aliases.hpp: tensors of a device as tensors of the CPU, for one call of an operator, and back.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <optional>
#include <set>
#include <string>

namespace broch::simulated {

class Aliases {
 public:
  // The same memory as a tensor of the CPU; tensors of the CPU stay what they are. Throws if the
  // memory may not be used on the current stream of its device.
  at::Tensor on_host(const at::Tensor& tensor);
  // A result of the operator: a view if it is one of an argument, otherwise a copy on the device.
  at::Tensor on_device(const at::Tensor& result);
  // The operator may have given `host`, the alias of `tensor`, another shape or other memory.
  void follow(const at::Tensor& tensor, const at::Tensor& host);

  // The same for whatever an operator takes and returns: lists, devices and generators, too.
  c10::IValue argument(const c10::IValue& value);
  c10::IValue result(const c10::IValue& value);

  // Throws if the arguments so far are tensors of several devices, or of a device and the CPU. A
  // tensor of the CPU with one element and no dimension fits everywhere, as a number does.
  void require_one_device(const std::string& name) const;
  // Where new results are: on the device of the first tensor of a device, or of an argument that is
  // a device.
  c10::DeviceIndex device() const;
  // Whether a generator of a device was among the arguments.
  const std::optional<at::Generator>& generator() const { return generator_; }

 private:
  at::Tensor new_on_device(const at::Tensor& host);

  // By the storage on the device, and by that of its alias.
  std::map<const c10::StorageImpl*, c10::Storage> hosts_, devices_;
  std::optional<c10::DeviceIndex> device_;
  std::set<c10::DeviceIndex> devices_of_tensors_;
  bool has_own_memory_of_host_ = false;
  std::optional<at::Generator> generator_;
};

}  // namespace broch::simulated
