// stop_signals.hpp: counts the signals that ask the program to end.
#pragma once
#include <optional>

#include "base/handled_signals.hpp"

namespace broch::sweep {

// While it exists, base::kEndingSignals are counted, and SIGPIPE is ignored. Those from SIGUSR1
// up to another signal count as one: a batch system sends both when the time of a job is over.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static int count();
  static int last();  // 0: none

 private:
  std::optional<base::HandledSignals> handled_;
};

}  // namespace broch::sweep
