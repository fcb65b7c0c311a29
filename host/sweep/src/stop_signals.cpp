// stop_signals.cpp: handlers of signals.
#include "stop_signals.hpp"

#include "base/signal_requests.hpp"

namespace broch::sweep {
namespace {

volatile sig_atomic_t signals = 0, last_signal = 0;
base::SignalRequests signal_requests;

void note(int number) {
  const bool repeats = signal_requests.repeats();
  if (signals > 0 && (repeats || number == SIGUSR1)) return;
  if (last_signal != SIGUSR1) signals = signals + 1;
  last_signal = number;
}

}  // namespace

StopSignals::StopSignals() {
  signals = 0;
  last_signal = 0;
  handled_.emplace(note);
}

int StopSignals::count() { return signals; }

int StopSignals::last() { return last_signal; }

}  // namespace broch::sweep
