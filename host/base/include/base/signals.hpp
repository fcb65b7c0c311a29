// signals.hpp: which thread a signal interrupts.
#pragma once
#include <signal.h>

namespace broch::base {

// For threads that serve the one that trains: signals are for that one.
inline void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace broch::base
