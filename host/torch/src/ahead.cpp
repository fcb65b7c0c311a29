// ahead.cpp: copies through page-locked memory on a stream of their own, one per device. Nothing
// here is CUDA's alone, so that it is tested without a GPU: tests/cuda/simulated.
#include "ahead.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <map>
#include <mutex>

#include "record/key.hpp"

namespace broch::libtorch {
namespace {

using Devices = c10::impl::VirtualGuardImpl;

c10::Stream stream_of_copies(at::Device device) {
  static std::mutex mutex;
  static std::map<c10::DeviceIndex, c10::Stream> streams;
  const std::lock_guard lock(mutex);
  const auto found = streams.find(device.index());
  if (found != streams.end()) return found->second;
  const c10::Stream made = Devices(device.type()).getStreamFromGlobalPool(device);
  return streams.emplace(device.index(), made).first->second;
}

at::Tensor empty_of_shape(const at::Tensor& source, at::Device device, bool pinned) {
  return at::empty(source.sizes(), source.options().device(device).pinned_memory(pinned),
                   at::MemoryFormat::Contiguous);
}

}  // namespace

AheadCopy copy_ahead(const at::Tensor& source, at::Device device) {
  const c10::impl::ExcludeDispatchKeyGuard unseen(kRecordingKey);  // not part of a recording
  const at::Tensor pinned = empty_of_shape(source, at::kCPU, true).copy_(source);
  const c10::Stream stream = stream_of_copies(device);
  const c10::StreamGuard on_stream(stream);
  AheadCopy copy{empty_of_shape(source, device, false), c10::Event(device.type())};
  // The allocator of page-locked memory gives it to nobody else before the copy has ended.
  copy.tensor.copy_(pinned, /*non_blocking=*/true);
  copy.done.record(stream);
  return copy;
}

void await_copy(const AheadCopy& copy) {
  const at::Device device = copy.tensor.device();
  const Devices devices(device.type());
  const c10::Stream in_use = devices.getStream(device);
  copy.done.block(in_use);
  // The allocator gives the memory to a later copy only when operators that use it have ended.
  devices.recordDataPtrOnStream(copy.tensor.storage().data_ptr(), in_use);
}

}  // namespace broch::libtorch
