// stop_signals.cpp: handlers of signals.
#include "stop_signals.hpp"

#include <iterator>

#include "base/signals.hpp"

namespace broch::sweep {
namespace {

volatile sig_atomic_t signals = 0, last_signal = 0;

void note(int number) {
  signals = signals + 1;
  last_signal = number;
}

}  // namespace

StopSignals::StopSignals() {
  signals = 0;
  last_signal = 0;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : &note;
    if (kSignals[i] == SIGHUP && base::ignores_hangup()) action.sa_handler = SIG_IGN;
    sigaction(kSignals[i], &action, &before_[i]);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignals::count() { return signals; }

int StopSignals::last() { return last_signal; }

}  // namespace broch::sweep
