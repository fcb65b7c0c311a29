// device_facts.hpp: the information about a device that ext/device.h gives.
#pragma once
#include <cstdint>
#include <string>

namespace broch::runtime {

// Memory is in bytes; -1: unknown.
struct DeviceFacts {
  std::string name;
  int32_t major = 0, minor = 0;  // the compute capability of a CUDA device
  int64_t total = -1, free = -1, used = -1, peak = -1;
};

}  // namespace broch::runtime
