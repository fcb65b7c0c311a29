// cancel.hpp: tells the data sources of a run to stop waiting.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/event_fd.hpp"
#include "broch/role/dataflow.h"

namespace broch::runtime {

class Cancel {
 public:
  Cancel();  // throws base::Error (Exit::data) if the process has no free descriptor
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

  // Permanently: wakes all waiting threads and makes the descriptor readable. [any]
  void cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  // Sleeps until cancelled or until the timeout; true if cancelled. A negative timeout never ends.
  // [any]
  bool wait(int64_t timeout_nanoseconds);
  int event_fd() const { return event_.descriptor(); }

  // The struct for plugins; valid as long as this object.
  const broch_cancel* c() const { return &c_; }

 private:
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  base::EventFd event_;
  broch_cancel c_;
};

}  // namespace broch::runtime
