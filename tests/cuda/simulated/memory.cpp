// memory.cpp: a device's address is that of the processor with a bit that the processor refuses.
#include "memory.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <set>

#include "streams.hpp"

namespace broch::simulated {
namespace {

constexpr uintptr_t kDeviceBit = uintptr_t{1} << 62;  // x86-64 refuses such addresses
constexpr size_t kAlignment = 256;                    // as cudaMalloc's

struct Block {
  size_t bytes = 0;
  c10::DeviceIndex device = 0;
  std::set<c10::StreamId> streams;
};

struct Use {
  int64_t now = 0, most = 0;
};

// Never destroyed: tensors may be freed after the objects of this file.
std::mutex& mutex = *new std::mutex;
auto& blocks = *new std::map<uintptr_t, Block>;  // by their first address on the device
std::array<Use, kMostDevices> uses;

Block* block_of(const void* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  const auto after = blocks.upper_bound(number);
  if (after == blocks.begin()) return nullptr;
  auto& [first, block] = *std::prev(after);
  return number < first + block.bytes ? &block : nullptr;
}

void free_memory(void* address) {
  const std::lock_guard lock(mutex);
  const auto found = blocks.find(reinterpret_cast<uintptr_t>(address));
  uses[static_cast<size_t>(found->second.device)].now -= static_cast<int64_t>(found->second.bytes);
  std::memset(host_address(address), 0xff, found->second.bytes);
  std::free(host_address(address));
  blocks.erase(found);
}

class DeviceAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(c10::kCUDA, current_device());
    if (bytes == 0) return {nullptr, device};
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* const memory = std::aligned_alloc(kAlignment, rounded);
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0xff, rounded);
    const uintptr_t address = reinterpret_cast<uintptr_t>(memory) | kDeviceBit;
    const std::lock_guard lock(mutex);
    blocks[address] = {rounded, device.index(), {current_stream(device.index())}};
    Use& use = uses[static_cast<size_t>(device.index())];
    use.now += static_cast<int64_t>(rounded);
    use.most = std::max(use.most, use.now);
    void* const on_device = reinterpret_cast<void*>(address);
    return {on_device, on_device, free_memory, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return free_memory; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(host_address(to), host_address(from), bytes);
  }
};

}  // namespace

c10::Allocator* device_allocator() {
  static DeviceAllocator allocator;
  return &allocator;
}

void* host_address(const void* device_address) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(device_address) & ~kDeviceBit);
}

void announce_use(const void* device_address, c10::StreamId stream) {
  const std::lock_guard lock(mutex);
  if (Block* const block = block_of(device_address)) block->streams.insert(stream);
}

bool may_use(const void* device_address, c10::StreamId stream) {
  const std::lock_guard lock(mutex);
  const Block* const block = block_of(device_address);
  return !block || block->streams.contains(stream);
}

int64_t bytes_in_use(c10::DeviceIndex device) {
  const std::lock_guard lock(mutex);
  return uses[static_cast<size_t>(device)].now;
}

int64_t most_bytes_in_use(c10::DeviceIndex device) {
  const std::lock_guard lock(mutex);
  return uses[static_cast<size_t>(device)].most;
}

void reset_most_bytes(c10::DeviceIndex device) {
  const std::lock_guard lock(mutex);
  Use& use = uses[static_cast<size_t>(device)];
  use.most = use.now;
}

}  // namespace broch::simulated
