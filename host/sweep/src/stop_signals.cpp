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
  struct sigaction action {
  }, ignore{};
  action.sa_handler = note;
  ignore.sa_handler = SIG_IGN;
  for (size_t i = 0; i < std::size(base::kEndingSignals); ++i) {
    const int signal = base::kEndingSignals[i];
    sigaction(signal, base::is_handled(signal) ? &action : &ignore, &before_[i]);
  }
  sigaction(SIGPIPE, &ignore, &pipe_before_);
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < std::size(base::kEndingSignals); ++i)
    sigaction(base::kEndingSignals[i], &before_[i], nullptr);
  sigaction(SIGPIPE, &pipe_before_, nullptr);
}

int StopSignals::count() { return signals; }

int StopSignals::last() { return last_signal; }

}  // namespace broch::sweep
