// placement.hpp: distributes variables over devices, like tensorpack's `LeastLoadedDeviceSetter`.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::runtime {

class Placement {
 public:
  // Each device may occur only once.
  explicit Placement(std::vector<Device> devices) : devices_(std::move(devices)) {
    loads_.resize(devices_.size());
  }
  // Chooses the device with the fewest elements so far (the first of equals), and adds these
  // elements to it. Returns `own` if there are no devices to choose from.
  Device place(int64_t elements, Device own);

 private:
  std::vector<Device> devices_;
  std::vector<int64_t> loads_;  // elements
};

// Whether tensors on one device can be used in computations on the other: the logical CPUs share
// one memory.
inline bool share_memory(Device a, Device b) {
  return a == b || (a.type == BROCH_DL_CPU && b.type == BROCH_DL_CPU);
}

}  // namespace broch::runtime
