// cancel.cpp: one flag, which can be read, waited for or polled.
#include "runtime/cancel.hpp"

#include <algorithm>
#include <chrono>

namespace broch::runtime {
namespace {

// The clock cannot count all 64 bits of nanoseconds from now on, and wait may end early anyway.
constexpr int64_t kLongestWait = int64_t{86'400} * 1'000'000'000;

Cancel& of(void* context) { return *static_cast<Cancel*>(context); }

}  // namespace

Cancel::Cancel()
    : c_{this, [](void* context) { return int32_t{of(context).cancelled()}; },
         [](void* context, int64_t timeout) { return int32_t{of(context).wait(timeout)}; },
         [](void* context) { return int32_t{of(context).event_fd()}; }} {}

void Cancel::cancel() {
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_.exchange(true, std::memory_order_acq_rel)) return;
  }
  wake_.notify_all();
  event_.announce();
}

bool Cancel::wait(int64_t timeout_nanoseconds) {
  std::unique_lock lock(mutex_);
  if (timeout_nanoseconds < 0) {
    wake_.wait(lock, [this] { return cancelled(); });
    return true;
  }
  const std::chrono::nanoseconds timeout(std::min(timeout_nanoseconds, kLongestWait));
  return wake_.wait_for(lock, timeout, [this] { return cancelled(); });
}

}  // namespace broch::runtime
