// interrupt.hpp: the first SIGINT or SIGTERM asks the run to end at a step boundary, the second one
// ends the process at once.
#pragma once
#include <atomic>

#include "base/error.hpp"
#include "broch/role/dataflow.h"

namespace broch::train {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();  // gives the signals back
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Takes SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE; at most one object of the process does.
  void install();
  // What the handler does; also for tests and for the end of the run, which cancels waits, too.
  void raise(int signal);
  bool raised() const { return signal_.load(std::memory_order_relaxed) != 0; }
  int signal() const { return signal_.load(std::memory_order_relaxed); }

  // Ends waits for input without counting as a signal.
  void cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // For sources: cancelled after raise or cancel. Valid as long as this object.
  const broch_cancel* token() const { return &token_; }

  int event_fd() const { return event_fd_; }

  // 130 or 143.
  base::Exit exit() const;

 private:
  void wake();

  std::atomic<int> signal_{0};
  std::atomic<bool> cancelled_{false};
  int event_fd_;
  bool installed_ = false;
  broch_cancel token_;
};

}  // namespace broch::train
