// cancel_source.hpp: a cancel of the plugin's own, for reading from children on its own threads.
// Not part of broch.hpp, because it needs Linux.
#pragma once
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>

#include "data_point.hpp"

namespace broch {
inline namespace v0 {

// Tells those who read with c() to give up. Usable on all threads.
class CancelSource {
 public:
  CancelSource() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (event_ < 0) throw Error(BROCH_E_RESOURCE_EXHAUSTED, "no file descriptor left");
  }
  ~CancelSource() { close(event_); }
  CancelSource(const CancelSource&) = delete;
  CancelSource& operator=(const CancelSource&) = delete;

  // For good: a source cannot be used again.
  void cancel() {
    cancelled_ = true;
    eventfd_write(event_, 1);
  }
  bool cancelled() const { return cancelled_; }
  // Borrowed, valid as long as this object.
  const broch_cancel* c() const { return &table_; }

 private:
  static const CancelSource& of(void* self) { return *static_cast<CancelSource*>(self); }
  static int32_t is_cancelled(void* self) { return of(self).cancelled_; }
  static int32_t event(void* self) { return of(self).event_; }
  static int32_t wait(void* self, int64_t nanoseconds) {
    pollfd event{of(self).event_, POLLIN, 0};
    const int64_t milliseconds = nanoseconds / 1'000'000 + (nanoseconds % 1'000'000 != 0);
    poll(&event, 1, nanoseconds < 0 ? -1 : int(std::min<int64_t>(milliseconds, INT_MAX)));
    return of(self).cancelled_;
  }

  std::atomic<bool> cancelled_{false};
  int event_;  // readable once cancelled; nobody reads it
  broch_cancel table_{this, &is_cancelled, &wait, &event};
};

}  // namespace v0
}  // namespace broch
