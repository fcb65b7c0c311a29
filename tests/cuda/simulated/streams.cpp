// streams.cpp: queues of work, one per stream.
#include "streams.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace broch::simulated {
namespace {

struct Queue {
  std::deque<std::function<void()>> waiting;
  uint64_t done = 0;  // how much of it has been taken out
};

// Never destroyed: events may be destroyed after the objects of this file.
std::recursive_mutex& mutex = *new std::recursive_mutex;
auto& queues = *new std::map<std::pair<c10::DeviceIndex, c10::StreamId>, Queue>;

thread_local c10::DeviceIndex device_of_thread = 0;
thread_local std::array<c10::StreamId, kMostDevices> streams_of_thread{};

void drain_until(Queue& queue, uint64_t place) {
  while (queue.done < place && !queue.waiting.empty()) {
    const std::function<void()> work = std::move(queue.waiting.front());
    queue.waiting.pop_front();
    ++queue.done;
    work();
  }
}

// Copies to a device; written down when the process ends.
class Copies {
 public:
  ~Copies() {
    const char* const path = std::getenv("BROCH_SIMULATED_LOG");
    std::FILE* const file = path ? std::fopen(path, "a") : nullptr;
    if (!file) return;
    for (int device = 0; device < device_count(); ++device)
      std::fprintf(file, "cuda:%d at_once %d ahead %d\n", device, counts_[size_t(device)].at_once,
                   counts_[size_t(device)].ahead);
    std::fclose(file);
  }
  void add(c10::DeviceIndex device, bool ahead) {
    Count& count = counts_[static_cast<size_t>(device)];
    ++(ahead ? count.ahead : count.at_once);
  }

 private:
  struct Count {
    int at_once = 0, ahead = 0;
  };
  std::array<Count, kMostDevices> counts_{};
} copies;

}  // namespace

c10::DeviceIndex device_count() {
  static const c10::DeviceIndex count = [] {
    const char* const text = std::getenv("BROCH_SIMULATED_GPUS");
    return static_cast<c10::DeviceIndex>(
        std::clamp(text ? std::atoi(text) : 2, 0, int{kMostDevices}));
  }();
  return count;
}

c10::DeviceIndex current_device() { return device_of_thread; }
void set_current_device(c10::DeviceIndex device) { device_of_thread = device; }
c10::StreamId current_stream(c10::DeviceIndex device) {
  return streams_of_thread[static_cast<size_t>(device)];
}
c10::StreamId exchange_stream(c10::DeviceIndex device, c10::StreamId stream) {
  return std::exchange(streams_of_thread[static_cast<size_t>(device)], stream);
}

c10::StreamId stream_from_pool(c10::DeviceIndex device) {
  static std::array<int64_t, kMostDevices> given{};
  const std::lock_guard lock(mutex);
  return 1 + given[static_cast<size_t>(device)]++ % 32;
}

void enqueue(c10::DeviceIndex device, c10::StreamId stream, std::function<void()> work) {
  const std::lock_guard lock(mutex);
  queues[{device, stream}].waiting.push_back(std::move(work));
  if (stream == 0) drain(device, 0);
}

void drain(c10::DeviceIndex device, c10::StreamId stream) {
  const std::lock_guard lock(mutex);
  drain_until(queues[{device, stream}], UINT64_MAX);
}

void drain_device(c10::DeviceIndex device) {
  const std::lock_guard lock(mutex);
  for (auto& [of, queue] : queues)
    if (of.first == device) drain_until(queue, UINT64_MAX);
}

bool is_idle(c10::DeviceIndex device, c10::StreamId stream) {
  const std::lock_guard lock(mutex);
  return queues[{device, stream}].waiting.empty();
}

Place place_behind(c10::DeviceIndex device, c10::StreamId stream) {
  const std::lock_guard lock(mutex);
  const Queue& queue = queues[{device, stream}];
  return {device, stream, queue.done + queue.waiting.size()};
}

void wait_for(const Place& place) {
  const std::lock_guard lock(mutex);
  drain_until(queues[{place.device, place.stream}], place.number);
}

bool has_happened(const Place& place) {
  const std::lock_guard lock(mutex);
  return queues[{place.device, place.stream}].done >= place.number;
}

void count_copy(c10::DeviceIndex device, bool ahead) {
  const std::lock_guard lock(mutex);
  copies.add(device, ahead);
}

}  // namespace broch::simulated
