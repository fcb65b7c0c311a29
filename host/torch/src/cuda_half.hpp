// cuda_half.hpp: the shared object that brings LibTorch's CUDA part, opened when first asked for.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "names.hpp"
#include "runtime/device_facts.hpp"

namespace broch::libtorch {

struct CudaHalf {
  int devices = 0;
  std::string problem;  // why there is no device; "" when there is one
  // Of cuda/cuda.cpp; not nullptr where there is a device.
  bool (*sum)(const std::vector<at::Tensor>& lists, size_t n,
              std::vector<at::Tensor>& sums) = nullptr;
  void (*facts)(int device, DeviceFacts& facts) = nullptr;
  void (*reset_peak)(int device) = nullptr;
  void (*synchronize)(int device) = nullptr;
};

// Opens lib/broch/broch_cuda.so at the first call; the answer does not change after it. [any]
const CudaHalf& cuda_half();

}  // namespace broch::libtorch
