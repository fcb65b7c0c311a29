// cuda.cpp: the CUDA half: brings LibTorch's CUDA kernels into the process, counts devices and adds
// over them.
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/cuda/nccl.h>

#include <cstdio>
#include <exception>
#include <set>
#include <vector>

namespace {

namespace nccl = torch::cuda::nccl;

bool can_add(const std::vector<at::Tensor>& tensors) {
  std::set<c10::DeviceIndex> devices;
  for (const at::Tensor& tensor : tensors) {
    const at::ScalarType type = tensor.scalar_type();
    const bool has_type = type == at::kHalf || type == at::kBFloat16 || type == at::kFloat ||
                          type == at::kDouble;
    if (!tensor.is_cuda() || !has_type || !tensor.is_contiguous()) return false;
    devices.insert(tensor.get_device());
  }
  return devices.size() == tensors.size();
}

}  // namespace

// The number of devices; with 0, why, in problem.
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

// The sums of tensor i of each list, on the device of the first; false where NCCL cannot. Lists lie
// one behind the other, of n tensors each. Throws what LibTorch does.
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
