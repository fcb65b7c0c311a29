// allocator.cpp: planned and other memory have the same deleter, because oneDNN's wrapper allocates
// raw memory and frees it by its address alone.
#include "program/allocator.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <shared_mutex>

namespace broch::program {
namespace {

constexpr size_t kAlignment = 64;

thread_local constinit std::vector<Allocation>* log_of_thread = nullptr;
thread_local constinit std::span<const Allocation> plan_of_thread{};
thread_local constinit size_t next_of_plan = 0;

c10::Allocator* base = nullptr;
c10::DeleterFnPtr base_deleter = nullptr;

// All planned memory of the process. Since most other addresses lie outside of low_ to high_, they
// are recognized without a lock.
class PlannedRanges {
 public:
  void add(std::byte* begin, std::byte* end) {
    const std::unique_lock lock(mutex_);
    ranges_.push_back({begin, end});
    widen();
  }
  void remove(std::byte* begin, std::byte* end) {
    const std::unique_lock lock(mutex_);
    const auto is_it = [&](const Range& range) { return range.begin == begin && range.end == end; };
    ranges_.erase(std::ranges::find_if(ranges_, is_it));
    widen();
  }
  bool holds(const void* address) {
    const auto* at = static_cast<const std::byte*>(address);
    if (at < low_.load(std::memory_order_relaxed) || at >= high_.load(std::memory_order_relaxed))
      return false;
    const std::shared_lock lock(mutex_);
    return std::ranges::any_of(
        ranges_, [&](const Range& range) { return at >= range.begin && at < range.end; });
  }

 private:
  struct Range {
    std::byte *begin, *end;
  };
  void widen() {
    std::byte *low = nullptr, *high = nullptr;
    for (const Range& range : ranges_) {
      low = low ? std::min(low, range.begin) : range.begin;
      high = std::max(high, range.end);
    }
    low_ = low;
    high_ = high;
  }
  std::shared_mutex mutex_;
  std::vector<Range> ranges_;
  std::atomic<std::byte*> low_ = nullptr, high_ = nullptr;
};

PlannedRanges& planned_ranges() {
  static PlannedRanges* const all = new PlannedRanges;  // outlives all tensors
  return *all;
}

void release(void* address) {
  if (planned_ranges().holds(address)) return;
  if (log_of_thread) {
    const auto last = std::find_if(log_of_thread->rbegin(), log_of_thread->rend(),
                                   [&](const Allocation& a) { return a.address == address; });
    if (last != log_of_thread->rend()) last->freed = true;
  }
  base_deleter(address);
}

class PlannedAllocator final : public c10::Allocator {
 public:
  at::DataPtr allocate(size_t bytes) override {
    if (next_of_plan < plan_of_thread.size() && bytes) {
      const Allocation& planned = plan_of_thread[next_of_plan];
      if (planned.bytes == bytes) {
        ++next_of_plan;
        if (planned.address) return owned(planned.address);
      }
    }
    at::DataPtr data = base->allocate(bytes);
    void* const address = data.get();
    if (log_of_thread && bytes) log_of_thread->push_back({bytes, address, false});
    data.release_context();
    return owned(address);
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

 private:
  static at::DataPtr owned(void* address) {
    return {address, address, &release, at::Device(at::kCPU)};
  }
};

}  // namespace

void install_allocator() {
  static const bool installed = [] {
    constexpr uint8_t kPriority = 100;  // higher than that of LibTorch's own allocator
    base = c10::GetCPUAllocator();
    base_deleter = base->raw_deleter();
    c10::SetCPUAllocator(new PlannedAllocator, kPriority);
    return true;
  }();
  (void)installed;
}

bool is_planned_memory(const void* address) { return planned_ranges().holds(address); }

AllocationLog::AllocationLog(std::vector<Allocation>& log)
    : outer_(std::exchange(log_of_thread, &log)) {}
AllocationLog::~AllocationLog() { log_of_thread = outer_; }

AllocationPlan::AllocationPlan(std::span<const Allocation> plan)
    : outer_(std::exchange(plan_of_thread, plan)), outer_next_(std::exchange(next_of_plan, 0)) {}
AllocationPlan::~AllocationPlan() {
  plan_of_thread = outer_;
  next_of_plan = outer_next_;
}

PlannedRange::PlannedRange(void* begin, size_t bytes)
    : begin_(static_cast<std::byte*>(begin)), end_(begin_ + bytes) {
  planned_ranges().add(begin_, end_);
}

PlannedRange::~PlannedRange() { planned_ranges().remove(begin_, end_); }

Arena::Arena(size_t bytes) {
  const size_t padded = (bytes + kAlignment) / kAlignment * kAlignment;
  begin_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, padded));
  if (!begin_) throw std::bad_alloc();
  std::memset(begin_, 0, padded);
  range_.emplace(begin_, padded);
}

Arena::~Arena() {
  range_.reset();
  std::free(begin_);
}

}  // namespace broch::program
