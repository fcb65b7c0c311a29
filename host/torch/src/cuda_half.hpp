// cuda_half.hpp: the shared object with the CUDA part of the backend, opened when it is first
// needed.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "names.hpp"
#include "runtime/device_facts.hpp"

namespace broch::libtorch {

struct CudaHalf {
  int devices = 0;
  std::string problem;  // why there is no device; "" if there is one
  // From cuda/cuda.cpp; not nullptr if there is a device.
  bool (*sum)(const std::vector<at::Tensor>& lists, size_t n,
              std::vector<at::Tensor>& sums) = nullptr;
  void (*facts)(int device, DeviceFacts& facts) = nullptr;
  void (*reset_peak)(int device) = nullptr;
  void (*synchronize)(int device) = nullptr;
};

// Opens lib/broch/broch_cuda.so at the first call. The result never changes. [any]
const CudaHalf& cuda_half();

// Whether operators have to give the same bits again. Opens nothing: what follows for GPUs is set
// once there is one.
void set_deterministic(bool deterministic);

}  // namespace broch::libtorch
