// cuda.cpp: the CUDA half: brings LibTorch's CUDA kernels into the process and counts devices.
#include <c10/cuda/CUDAFunctions.h>

#include <cstdio>
#include <exception>

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
