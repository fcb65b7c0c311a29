// signals.hpp: which signals end a program, and which threads get none.
#pragma once
#include <signal.h>

namespace broch::base {

// Called by a helper thread for itself, so that signals interrupt only the main thread.
inline void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

// Whether nohup made the process ignore SIGHUP. Then a closed terminal must not end it.
inline bool ignores_hangup() {
  struct sigaction action {};
  sigaction(SIGHUP, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

// End a run, a sweep and their processes. Batch systems can send SIGUSR1 some time before they end
// a job.
inline constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};

// Whether a program that handles kEndingSignals handles this one.
inline bool is_handled(int signal) { return signal != SIGHUP || !ignores_hangup(); }

}  // namespace broch::base
