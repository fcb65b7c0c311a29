// cuda_half.hpp: the shared object that brings LibTorch's CUDA part, opened when first asked for.
#pragma once
#include <string>

namespace broch::runtime {

struct CudaHalf {
  int devices = 0;
  std::string problem;  // why there is no device; "" when there is one
};

// Opens lib/broch/broch_cuda.so at the first call; the answer does not change after it. [any]
const CudaHalf& cuda_half();

}  // namespace broch::runtime
