// cancel.cpp: one flag, which can be read, waited for or polled.
#include "runtime/cancel.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace broch::runtime {
namespace {

Cancel& of(void* context) { return *static_cast<Cancel*>(context); }

int make_event_fd() {
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd >= 0) return fd;
  throw base::Error(base::Exit::data, {.where = "eventfd",
                                       .found = std::strerror(errno),
                                       .expected = "a free file descriptor",
                                       .hint = "raise the limit (ulimit -n) or close files"});
}

}  // namespace

Cancel::Cancel()
    : event_fd_(make_event_fd()),
      c_{this, [](void* context) { return int32_t{of(context).cancelled()}; },
         [](void* context, int64_t timeout) { return int32_t{of(context).wait(timeout)}; },
         [](void* context) { return int32_t{of(context).event_fd()}; }} {}

Cancel::~Cancel() { close(event_fd_); }

void Cancel::cancel() {
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_.exchange(true, std::memory_order_acq_rel)) return;
  }
  wake_.notify_all();
  eventfd_write(event_fd_, 1);
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
