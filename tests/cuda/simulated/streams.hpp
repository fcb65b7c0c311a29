// streams.hpp: streams of simulated devices.
//
// Work on the default stream (id 0) is done at once. Work on another stream waits until somebody
// waits for the stream, for an event behind the work, or for the device.
#pragma once
#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <cstdint>
#include <functional>

namespace broch::simulated {

constexpr size_t kMostDevices = 16;

// BROCH_SIMULATED_GPUS, at most 16; otherwise 2.
c10::DeviceIndex device_count();

// Of this thread.
c10::DeviceIndex current_device();
void set_current_device(c10::DeviceIndex device);
c10::StreamId current_stream(c10::DeviceIndex device);
c10::StreamId exchange_stream(c10::DeviceIndex device, c10::StreamId stream);

// While it exists, the current device of this thread is that one.
class OnDevice {
 public:
  explicit OnDevice(c10::DeviceIndex device) : before_(current_device()) {
    set_current_device(device);
  }
  ~OnDevice() { set_current_device(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  c10::DeviceIndex before_;
};

c10::StreamId stream_from_pool(c10::DeviceIndex device);  // one of 32 in turn

// Puts work behind what waits in the stream; the default stream does it now.
void enqueue(c10::DeviceIndex device, c10::StreamId stream, std::function<void()> work);
// Does what waits in it. drain_device: in all streams of the device.
void drain(c10::DeviceIndex device, c10::StreamId stream);
void drain_device(c10::DeviceIndex device);
bool is_idle(c10::DeviceIndex device, c10::StreamId stream);

// A place in a stream, behind what had been put there.
struct Place {
  c10::DeviceIndex device = 0;
  c10::StreamId stream = 0;
  uint64_t number = 0;
};
Place place_behind(c10::DeviceIndex device, c10::StreamId stream);
void wait_for(const Place& place);
bool has_happened(const Place& place);

// How many tensors were copied to a device: at once, while the host waited; and ahead, on a stream
// that has to be waited for. Written to the file BROCH_SIMULATED_LOG at the end of the process.
void count_copy(c10::DeviceIndex device, bool ahead);

}  // namespace broch::simulated
