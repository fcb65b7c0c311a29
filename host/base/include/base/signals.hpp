// signals.hpp: keeps signals away from helper threads.
#pragma once
#include <signal.h>

namespace broch::base {

// Called by a helper thread for itself, so that signals interrupt only the main thread.
inline void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace broch::base
