// device.hpp: which devices there are, and how much memory they have and use.
#pragma once
#include "host.hpp"

namespace broch {
inline namespace v0 {

// A device, its properties and its memory; see ext/device.h.
class Device {
 public:
  // The number of devices of a type (BROCH_DL_…).
  static uint32_t count(const Host& host, int32_t type) {
    uint32_t count = 0;
    host.check(host.require<broch_host_device>(BROCH_EXT_DEVICE)->count(host.c(), type, &count));
    return count;
  }
  explicit Device(const Host& host, int32_t type = BROCH_DL_CPU, int32_t index = 0)
      : host_(host),
        table_(host.require<broch_host_device>(BROCH_EXT_DEVICE)),
        device_{type, index} {}

  broch_device_info info() const {
    broch_device_info info{};
    info.struct_size = sizeof info;
    host_.check(table_->info(host_.c(), device_, &info));
    return info;
  }
  broch_device_memory memory() const {
    broch_device_memory memory{};
    memory.struct_size = sizeof memory;
    host_.check(table_->memory(host_.c(), device_, &memory));
    return memory;
  }
  void reset_peak() const { host_.check(table_->reset_peak(host_.c(), device_)); }
  void synchronize() const { host_.check(table_->synchronize(host_.c(), device_)); }

 private:
  Host host_;
  const broch_host_device* table_;
  broch_dl_device device_;
};

}  // namespace v0
}  // namespace broch
