// placement.hpp: variables spread over devices. tensorpack: `LeastLoadedDeviceSetter`.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::runtime {

class Placement {
 public:
  // A device may be there once only.
  explicit Placement(std::vector<Device> devices) : devices_(std::move(devices)) {
    loads_.resize(devices_.size());
  }
  // The device with the fewest elements so far, the first of equals; it has these as well now. own:
  // where there is none to choose from.
  Device place(int64_t elements, Device own);

 private:
  std::vector<Device> devices_;
  std::vector<int64_t> loads_;  // elements
};

// Whether tensors of one can be computed with on the other: logical CPUs share one memory.
inline bool share_memory(Device a, Device b) {
  return a == b || (a.type == BROCH_DL_CPU && b.type == BROCH_DL_CPU);
}

}  // namespace broch::runtime
