// stop_signals.cpp: handlers of signals.
#include "stop_signals.hpp"

#include <iterator>

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
    sigaction(kSignals[i], nullptr, &before_[i]);
    // nohup makes the process ignore it.
    if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) continue;
    sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignals::count() { return signals; }

int StopSignals::last() { return last_signal; }

}  // namespace broch::sweep
