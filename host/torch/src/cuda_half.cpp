// cuda_half.cpp: opens broch_cuda.so, which is in the same folder, and asks it for devices.
#include "cuda_half.hpp"

#include <ATen/Context.h>
#include <c10/core/CPUAllocator.h>
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <filesystem>

namespace broch::libtorch {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> has_devices = false;  // once the CUDA part is open

// The folder of the shared object that contains the address.
fs::path folder_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) ? fs::path(info.dli_fname).parent_path() : fs::path();
}

std::string why_not_opened() {
  const char* why = dlerror();
  return std::string("LibTorch's CUDA part cannot be opened: ") + (why ? why : "no reason given") +
         "\n  hint: install LibTorch's NVIDIA wheels beside it, or use cpu devices";
}

CudaHalf open_half() {
  const fs::path file = folder_of(reinterpret_cast<const void*>(&open_half)) / "broch_cuda.so";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return {0, "this build has no CUDA part: no " + file.string() +
                   "\n  hint: install the CUDA toolkit and build again, or use cpu devices"};
  }
  // LibTorch's CUDA library must come from the folder of the LibTorch in use. It is opened
  // globally, because libraries that it opens later, such as its linear algebra, look for symbols
  // there.
  const fs::path torch = folder_of(reinterpret_cast<const void*>(&c10::GetCPUAllocator));
  if (!dlopen((torch / "libtorch_cuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL)) {
    return {0, why_not_opened()};
  }
  void* half = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!half) return {0, why_not_opened()};
  using Count = int (*)(char* problem, size_t size);
  const auto count = reinterpret_cast<Count>(dlsym(half, "broch_cuda_device_count"));
  CudaHalf cuda;
  const auto find = [half](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(half, name));
    return function != nullptr;
  };
  if (!count || !find("broch_cuda_sum", cuda.sum) || !find("broch_cuda_facts", cuda.facts) ||
      !find("broch_cuda_reset_peak", cuda.reset_peak) ||
      !find("broch_cuda_synchronize", cuda.synchronize))
    return {0, file.string() + " is not the CUDA part of this version; build it again"};
  std::array<char, 512> problem{};
  cuda.devices = count(problem.data(), problem.size());
  has_devices = cuda.devices > 0;
  set_deterministic(at::globalContext().deterministicAlgorithms());
  if (!cuda.devices) cuda.problem = "no CUDA device: " + std::string(problem.data());
  return cuda;
}

}  // namespace

const CudaHalf& cuda_half() {
  static const CudaHalf half = open_half();
  return half;
}

// Kernels for GPUs whose results differ from run to run: where LibTorch has no others, it warns. On
// the CPU, all operators have kernels that repeat. Where LibTorch only warns, the gradients of its
// memory-efficient attention do not repeat.
void set_deterministic(bool deterministic) {
  const bool warns = deterministic && has_devices;
  at::globalContext().setDeterministicAlgorithms(deterministic, warns);
  at::globalContext().setSDPUseMemEfficient(!warns);
}

}  // namespace broch::libtorch
