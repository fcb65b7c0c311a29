// device_facts.hpp: what ext/device.h tells of a device.
#pragma once
#include <cstdint>
#include <string>

namespace broch::runtime {

// Bytes; -1: not known.
struct DeviceFacts {
  std::string name;
  int32_t major = 0, minor = 0;  // compute capability of a CUDA device
  int64_t total = -1, free = -1, used = -1, peak = -1;
};

}  // namespace broch::runtime
