// hooks.cpp: what LibTorch asks its CUDA part for: generators, and page-locked memory.
#include "hooks.hpp"

#include <ATen/detail/CUDAHooksInterface.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "memory.hpp"
#include "streams.hpp"

namespace broch::simulated {
namespace {

// A seed and a count of the calls, as LibTorch's generator for CUDA has them.
class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  explicit DeviceGenerator(c10::DeviceIndex device)
      : GeneratorImpl({c10::kCUDA, device}, c10::DispatchKeySet(c10::DispatchKey::CUDA)) {}

  void set_current_seed(uint64_t seed) override {
    seed_ = seed;
    offset_ = 0;
  }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return seed_;
  }
  void set_offset(uint64_t offset) override { offset_ = offset; }
  uint64_t get_offset() const override { return offset_; }
  void set_state(const c10::TensorImpl&) override { refuse(); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    TORCH_CHECK(false, "generators of simulated devices have no state");
  }
  GeneratorImpl* clone_impl() const override {
    auto* const copy = new DeviceGenerator(device_.index());
    copy->seed_ = seed_;
    copy->offset_ = offset_;
    return copy;
  }

  uint64_t seed_ = c10::default_rng_seed_val, offset_ = 0;
};

// Never destroyed: memory may be freed after the objects of this file.
std::mutex& mutex_of_locked = *new std::mutex;
auto& locked = *new std::map<const void*, size_t>;

void free_locked(void* memory) {
  const std::lock_guard lock(mutex_of_locked);
  std::memset(memory, 0xff, locked.at(memory));
  locked.erase(memory);
  std::free(memory);
}

class PageLocked final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) return {nullptr, c10::kCPU};
    void* const memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) throw std::bad_alloc();
    const std::lock_guard lock(mutex_of_locked);
    locked[memory] = bytes;
    return {memory, memory, free_locked, c10::kCPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return free_locked; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

}  // namespace

const at::Generator& default_generator(c10::DeviceIndex device) {
  static const std::vector<at::Generator> generators = [] {
    std::vector<at::Generator> made;
    for (c10::DeviceIndex i = 0; i < device_count(); ++i)
      made.push_back(at::make_generator<DeviceGenerator>(i));
    return made;
  }();
  return generators.at(static_cast<size_t>(device < 0 ? current_device() : device));
}

uint64_t next_seed(at::Generator generator) {
  const uint64_t calls = generator.get_offset();
  generator.set_offset(calls + 1);
  return generator.current_seed() + 0x9e3779b97f4a7c15 * calls;
}

bool is_page_locked(const void* address) {
  const std::lock_guard lock(mutex_of_locked);
  const auto after = locked.upper_bound(address);
  if (after == locked.begin()) return false;
  const auto& [first, bytes] = *std::prev(after);
  return static_cast<const char*>(address) < static_cast<const char*>(first) + bytes;
}

}  // namespace broch::simulated

namespace at {
namespace {

using namespace broch::simulated;

// LibTorch looks for a class of this name.
struct CUDAHooks final : CUDAHooksInterface {
  explicit CUDAHooks(CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return device_count() > 0; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  DeviceIndex deviceCount() const override { return device_count(); }
  int getNumGPUs() const override { return device_count(); }
  DeviceIndex current_device() const override { return broch::simulated::current_device(); }
  DeviceIndex getCurrentDevice() const override { return broch::simulated::current_device(); }
  void setCurrentDevice(DeviceIndex device) const override { set_current_device(device); }
  DeviceIndex exchangeDevice(DeviceIndex device) const override {
    const DeviceIndex before = broch::simulated::current_device();
    set_current_device(device);
    return before;
  }
  DeviceIndex maybeExchangeDevice(DeviceIndex device) const override {
    return device < 0 ? broch::simulated::current_device() : exchangeDevice(device);
  }
  const Generator& getDefaultGenerator(DeviceIndex device) const override {
    return default_generator(device);
  }
  Generator getNewGenerator(DeviceIndex device) const override {
    return default_generator(device).clone();
  }
  bool isPinnedPtr(const void* address) const override { return is_page_locked(address); }
  Allocator* getPinnedMemoryAllocator() const override {
    static PageLocked allocator;
    return &allocator;
  }
  Allocator* getCUDADeviceAllocator() const override { return device_allocator(); }
  void deviceSynchronize(DeviceIndex device) const override { drain_device(device); }
};

}  // namespace

REGISTER_CUDA_HOOKS(CUDAHooks)

}  // namespace at
