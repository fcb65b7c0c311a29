// guard.cpp: devices, streams and events as LibTorch asks for them.
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "memory.hpp"
#include "streams.hpp"

namespace broch::simulated {
namespace {

c10::Device device_at(c10::DeviceIndex index) { return {c10::kCUDA, index}; }
// A device without an index is the current one.
c10::DeviceIndex index_of(c10::Device device) {
  return device.has_index() ? device.index() : current_device();
}
c10::Stream stream_at(c10::DeviceIndex device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, device_at(device), id);
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before = getDevice();
    uncheckedSetDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return device_at(current_device()); }
  void setDevice(c10::Device device) const override { uncheckedSetDevice(device); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    set_current_device(index_of(device));
  }
  c10::DeviceIndex deviceCount() const noexcept override { return device_count(); }
  void synchronizeDevice(c10::DeviceIndex device) const override { drain_device(device); }

  c10::Stream getStream(c10::Device device) const override {
    return stream_at(index_of(device), current_stream(index_of(device)));
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return stream_at(index_of(device), 0);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return stream_at(index_of(device), stream_from_pool(index_of(device)));
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return getStreamFromGlobalPool(device, false);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const c10::DeviceIndex device = stream.device_index();
    return stream_at(device, exchange_stream(device, stream.id()));
  }
  bool queryStream(const c10::Stream& stream) const override {
    return is_idle(stream.device_index(), stream.id());
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    drain(stream.device_index(), stream.id());
  }
  void recordDataPtrOnStream(const c10::DataPtr& memory, const c10::Stream& stream) const override {
    announce_use(memory.get(), stream.id());
  }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag) const override {
    if (!*event) *event = new Place;
    *static_cast<Place*>(*event) = place_behind(stream.device_index(), stream.id());
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (!event) return;
    enqueue(stream.device_index(), stream.id(),
            [awaited = *static_cast<Place*>(event)] { wait_for(awaited); });
  }
  bool queryEvent(void* event) const override {
    return !event || has_happened(*static_cast<Place*>(event));
  }
  void synchronizeEvent(void* event) const override {
    if (event) wait_for(*static_cast<Place*>(event));
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<Place*>(event);
  }
};

const c10::impl::DeviceGuardImplRegistrar registered(c10::kCUDA, new Guard);

}  // namespace
}  // namespace broch::simulated
