// stop_signals.hpp: counts the signals that ask the program to end.
#pragma once
#include <signal.h>

#include <iterator>

#include "base/signals.hpp"

namespace broch::sweep {

// While it exists, base::kEndingSignals are counted, and SIGPIPE is ignored. Those from SIGUSR1
// up to another signal count as one: a batch system sends both when the time of a job is over.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static int count();
  static int last();  // 0: none

 private:
  struct sigaction before_[std::size(base::kEndingSignals)], pipe_before_;
};

}  // namespace broch::sweep
