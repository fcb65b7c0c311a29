// stop_signals.hpp: counts the signals that ask the program to end.
#pragma once
#include <signal.h>

namespace broch::sweep {

// While it exists, SIGINT, SIGTERM and SIGHUP are counted, and SIGPIPE is ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static int count();
  static int last();  // 0: none

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  struct sigaction before_[4];
};

}  // namespace broch::sweep
