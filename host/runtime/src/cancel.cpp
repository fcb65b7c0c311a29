// cancel.cpp: one flag, which can be read, waited for or polled.
#include "runtime/cancel.hpp"

#include <chrono>

namespace broch::runtime {
namespace {

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
  return wake_.wait_for(lock, std::chrono::nanoseconds(timeout_nanoseconds),
                        [this] { return cancelled(); });
}

}  // namespace broch::runtime
