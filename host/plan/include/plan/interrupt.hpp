// interrupt.hpp: requests from outside the loop, which are served between two steps.
//
// The first of base::kEndingSignals ends the run between two steps. A second one ends the process
// at once, unless one of both was SIGUSR1: a batch system sends it before it ends a job. Control
// requests (broch ctl) are served between two steps as well. With several ranks, a rank first
// announces both to the others, so that all serve them between the same two steps. If that does not
// happen within ten seconds, a signal ends this rank alone.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/event_fd.hpp"
#include "base/handled_signals.hpp"
#include "broch/role/dataflow.h"

namespace broch::plan {

// What a rank tells the others in each step, as bits.
enum RankFlags : uint8_t {
  kNoRankFlags = 0,
  kSignalled = 1,
  kControlRequested = 2,
  kStopRequested = 4,
  kDataDiffer = 8,
  kAllRankFlags = 15
};

class Interrupt {
 public:
  Interrupt();   // throws base::Error (Exit::data) if the process has no free descriptor
  ~Interrupt();  // restores the signal handlers
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Handles base::kEndingSignals, and ignores SIGPIPE. Only one object per process may do
  // so. one_of_several: signals are announced to the other ranks first.
  void install(bool one_of_several = false);
  bool announced() const { return announced_.load(std::memory_order_relaxed) != 0; }
  uint8_t rank_flags() const {
    return (announced() ? kSignalled : 0) | (control_requested() ? kControlRequested : 0) |
           (stops_ ? kStopRequested : 0) | (tells_data_differ_ ? kDataDiffer : 0);
  }
  // To be called with the combined flags of all ranks, after the same step on each. A signal of
  // any rank is raised here: this rank's own one, or SIGTERM if only another rank got one.
  void agree(uint8_t flags);
  // Whether all ranks were signalled between the same two steps.
  bool agreed() const { return agreed_; }
  // Announces that a callback of this rank stops training; all_stop: whether all ranks know of
  // such a stop.
  void announce_stop() { stops_ = true; }
  bool all_stop() const { return all_stop_; }
  // Announces that this rank is at another place of its data than the others; data_differ: whether
  // all ranks know that of one of them.
  void announce_data_differ() { tells_data_differ_ = true; }
  bool data_differ() const { return data_differ_; }
  // Raises a signal that was announced too long ago without being agreed on.
  void raise_overdue();
  // What the signal handler and `broch ctl stop` do: raises the signal or, with several ranks,
  // announces it first.
  void take(int signal);
  // Counts as a signal to this rank, and ends waits for input. Also for tests.
  void raise(int signal);
  bool raised() const { return signal_.load(std::memory_order_relaxed) != 0; }
  int signal() const { return signal_.load(std::memory_order_relaxed); }

  // Announces a control request to this rank. [any]
  void request_control();
  bool control_requested() const { return control_requested_.load(std::memory_order_relaxed); }
  // Whether control requests are to be served before the next step; with several ranks, agreed on.
  bool control_due() const { return control_due_.load(std::memory_order_relaxed); }
  // To be called before the requests are served.
  void take_control_requests();

  // Ends waits for input without counting as a signal.
  void cancel();
  // Ends them as a failure of the training, for this reason. Call once. [any]
  void fail(std::string why);
  // Throws the failure as base::Error, if there is one.
  void throw_failure() const {
    if (failed_.load(std::memory_order_acquire)) [[unlikely]]
      throw base::Error(base::Exit::training, failure_);
  }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // For input sources: cancelled after raise or cancel. Valid as long as this object.
  const broch_cancel* token() const { return &token_; }

  int event_fd() const { return event_.descriptor(); }

  // 130 or 143.
  base::Exit exit() const;

 private:
  void wake();

  std::atomic<int> signal_{0};
  std::atomic<int> announced_{0};
  std::atomic<int64_t> announced_at_{0};  // in nanoseconds of the steady clock
  std::atomic<bool> control_requested_{false}, control_due_{false};
  bool one_of_several_ = false;
  std::atomic<bool> stops_{false}, all_stop_{false}, agreed_{false};
  std::atomic<bool> tells_data_differ_{false}, data_differ_{false};
  std::atomic<bool> cancelled_{false};
  std::string failure_;
  std::atomic<bool> failed_{false};
  base::EventFd event_;
  std::optional<base::HandledSignals> handled_;
  broch_cancel token_;
};

}  // namespace broch::plan
