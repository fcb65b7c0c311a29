// cancel.hpp: how a run asks its data sources to give up waiting.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "broch/role/dataflow.h"

namespace broch::runtime {

class Cancel {
 public:
  Cancel();  // throws base::Error (Exit::data) when no eventfd is left
  ~Cancel();
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

  // Wakes every wait and makes the descriptor readable, for good. [any]
  void cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  // Sleeps up to timeout; true once cancelled. A negative timeout waits without end. [any]
  bool wait(int64_t timeout_nanoseconds);
  int event_fd() const { return event_fd_; }

  // What plugins see; valid as long as this object.
  const broch_cancel* c() const { return &c_; }

 private:
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  int event_fd_;
  broch_cancel c_;
};

}  // namespace broch::runtime
