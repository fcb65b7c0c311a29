// cuda.cpp: the CUDA part of the backend: loads LibTorch's CUDA kernels into the process, counts
// and describes devices, and adds tensors across devices.
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <torch/csrc/cuda/nccl.h>

#include <cstdio>
#include <exception>
#include <set>
#include <vector>

#include "runtime/device_facts.hpp"

namespace {

namespace nccl = torch::cuda::nccl;

bool can_add(const std::vector<at::Tensor>& tensors) {
  std::set<c10::DeviceIndex> devices;
  for (const at::Tensor& tensor : tensors) {
    const at::ScalarType type = tensor.scalar_type();
    const bool has_type =
        type == at::kHalf || type == at::kBFloat16 || type == at::kFloat || type == at::kDouble;
    if (!tensor.is_cuda() || !has_type || !tensor.is_contiguous()) return false;
    devices.insert(tensor.get_device());
  }
  return devices.size() == tensors.size();
}

}  // namespace

// The number of devices. If it is 0, `problem` says why.
extern "C" __attribute__((visibility("default"))) int broch_cuda_device_count(char* problem,
                                                                              size_t size) {
  try {
    return c10::cuda::device_count_ensure_non_zero();
  } catch (const c10::Error& error) {
    std::snprintf(problem, size, "%s", error.what_without_backtrace());
  } catch (const std::exception& error) {
    std::snprintf(problem, size, "%s", error.what());
  }
  return 0;
}

// Adds tensor i of each list, on the device of the first list; false if NCCL cannot do it. `lists`
// contains all lists of n tensors, one after the other. Throws exceptions of LibTorch.
extern "C" __attribute__((visibility("default"))) bool broch_cuda_sum(
    const std::vector<at::Tensor>& lists, size_t n, std::vector<at::Tensor>& sums) {
  std::vector<std::vector<at::Tensor>> parts(n);
  for (size_t i = 0; i < lists.size(); ++i) parts[i % n].push_back(lists[i]);
  for (const auto& tensors : parts)
    if (!can_add(tensors)) return false;
  for (const auto& tensors : parts) {
    sums.push_back(at::empty_like(tensors[0]));
    nccl::reduce(tensors, sums.back());
  }
  return true;
}

// These functions throw exceptions of LibTorch.
extern "C" __attribute__((visibility("default"))) void broch_cuda_facts(
    int device, broch::runtime::DeviceFacts& facts) {
  const auto index = static_cast<c10::DeviceIndex>(device);
  cudaDeviceProp properties{};
  C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  facts.name = properties.name;
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.total = static_cast<int64_t>(properties.totalGlobalMem);
  facts.free = -1;  // only a context tells, which takes some of it, and may be impossible to make
  facts.used = facts.peak = 0;
  if (!c10::cuda::hasPrimaryContext(index)) return;
  const c10::cuda::CUDAGuard guard(index);
  size_t free = 0, total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  facts.free = static_cast<int64_t>(free);
  // There is no allocator before the first tensor.
  if (!c10::cuda::CUDACachingAllocator::get()->initialized()) return;
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index);
  constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  facts.used = stats.allocated_bytes[kAll].current;
  facts.peak = stats.allocated_bytes[kAll].peak;
}

extern "C" __attribute__((visibility("default"))) void broch_cuda_reset_peak(int device) {
  if (c10::cuda::CUDACachingAllocator::get()->initialized())
    c10::cuda::CUDACachingAllocator::resetPeakStats(static_cast<c10::DeviceIndex>(device));
}

extern "C" __attribute__((visibility("default"))) void broch_cuda_synchronize(int device) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
  c10::cuda::device_synchronize();
}
