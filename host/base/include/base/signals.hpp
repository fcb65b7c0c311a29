// signals.hpp: keeps signals away from helper threads, and from who asked for that.
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

}  // namespace broch::base
