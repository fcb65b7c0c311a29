// placement.cpp: chooses the least loaded device.
#include "runtime/placement.hpp"

#include <algorithm>

namespace broch::runtime {

Device Placement::place(int64_t elements, Device own) {
  if (devices_.empty()) return own;
  const auto least = std::ranges::min_element(loads_);
  *least += elements;
  const Device device = devices_[static_cast<size_t>(least - loads_.begin())];
  // Variables in one memory stay together, so that one update can process them all.
  return share_memory(device, own) ? own : device;
}

}  // namespace broch::runtime
