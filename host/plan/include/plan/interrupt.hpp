// interrupt.hpp: what comes from outside and is done between two steps.
//
// The first SIGINT or SIGTERM asks the run to end there, the second one ends the process at once. A
// wish (broch ctl) is granted there. One of several ranks only announces both to the others, so
// that all do it between the same steps; if that does not come, it ends by itself after ten
// seconds.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "broch/role/dataflow.h"

namespace broch::plan {

// What a rank tells the others in each step: bits.
enum RankFlags : uint8_t {
  kNoRankFlags = 0,
  kSignalled = 1,
  kControlRequested = 2,
  kStopRequested = 4,
  kAllRankFlags = 7
};

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();  // gives the signals back
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Takes SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE; at most one object of the process does.
  // one_of_several: signals are announced.
  void install(bool one_of_several = false);
  bool announced() const { return announced_.load(std::memory_order_relaxed) != 0; }
  uint8_t rank_flags() const {
    return (announced() ? kSignalled : 0) | (control_requested() ? kControlRequested : 0) |
           (stops_ ? kStopRequested : 0);
  }
  // What all ranks know after the same step: a signal that one of them got, which is raised here,
  // SIGTERM for one of another rank; wishes.
  void agree(uint8_t flags);
  // A callback of this rank stops the training; whether all ranks know that one of them does.
  void announce_stop() { stops_ = true; }
  bool all_stop() const { return all_stop_; }
  // Raises what was announced and not agreed on for too long.
  void raise_overdue();
  // What the handler does; also for tests and for the end of the run, which cancels waits, too.
  void take(int signal);
  void raise(int signal);
  bool raised() const { return signal_.load(std::memory_order_relaxed) != 0; }
  int signal() const { return signal_.load(std::memory_order_relaxed); }

  // Somebody wishes something of this rank. [any]
  void request_control();
  bool control_requested() const { return control_requested_.load(std::memory_order_relaxed); }
  // Whether wishes are to be granted between this step and the next: of several ranks, agreed on.
  bool control_due() const { return control_due_.load(std::memory_order_relaxed); }
  // Before they are granted.
  void take_control_requests();

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
  std::atomic<int> announced_{0};
  std::atomic<int64_t> announced_at_{0};  // nanoseconds of the steady clock
  std::atomic<bool> control_requested_{false}, control_due_{false};
  bool one_of_several_ = false;
  std::atomic<bool> stops_{false}, all_stop_{false};
  std::atomic<bool> cancelled_{false};
  int event_fd_;
  bool installed_ = false;
  broch_cancel token_;
};

}  // namespace broch::plan
