// part.cpp: the functions of host/torch/cuda/cuda.cpp, for simulated devices.
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>

#include <cstdio>
#include <vector>

#include "memory.hpp"
#include "runtime/device_facts.hpp"
#include "streams.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace broch::simulated;

EXPORTED int broch_cuda_device_count(char* problem, size_t size) {
  if (device_count() == 0) std::snprintf(problem, size, "BROCH_SIMULATED_GPUS is 0");
  return device_count();
}

// As NCCL adds: each tensor on a device of its own.
EXPORTED bool broch_cuda_sum(const std::vector<at::Tensor>& lists, size_t n,
                             std::vector<at::Tensor>& sums) {
  for (size_t i = n; i < lists.size(); ++i)
    for (size_t j = i % n; j < i; j += n)
      if (lists[i].device() == lists[j].device()) return false;
  for (size_t i = 0; i < n; ++i) {
    at::Tensor sum = at::zeros_like(lists[i]);
    for (size_t j = i; j < lists.size(); j += n) sum += lists[j].to(sum.device());
    sums.push_back(std::move(sum));
  }
  return true;
}

EXPORTED void broch_cuda_facts(int device, broch::runtime::DeviceFacts& facts) {
  const auto index = static_cast<c10::DeviceIndex>(device);
  facts.name = "simulated";
  facts.total = int64_t{1} << 40;
  facts.used = bytes_in_use(index);
  facts.peak = most_bytes_in_use(index);
  facts.free = facts.total - facts.used;
}

EXPORTED void broch_cuda_reset_peak(int device) {
  reset_most_bytes(static_cast<c10::DeviceIndex>(device));
}

EXPORTED void broch_cuda_synchronize(int device) {
  drain_device(static_cast<c10::DeviceIndex>(device));
}
