// handled_signals.hpp: a handler for the signals that end a program.
#pragma once
#include <iterator>

#include "base/signals.hpp"

namespace broch::base {

// While it exists, the handler gets kEndingSignals, and SIGPIPE is ignored: the program must not
// end because nobody reads its output any more.
class HandledSignals {
 public:
  // flags: those of sigaction.
  explicit HandledSignals(void (*handler)(int), int flags = 0) {
    struct sigaction action {
    }, ignore{};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ignore.sa_handler = SIG_IGN;
    for (size_t i = 0; i < std::size(kEndingSignals); ++i) {
      const int signal = kEndingSignals[i];
      sigaction(signal, is_handled(signal) ? &action : &ignore, &before_[i]);
    }
    sigaction(SIGPIPE, &ignore, &pipe_before_);
  }
  ~HandledSignals() {
    for (size_t i = 0; i < std::size(kEndingSignals); ++i)
      sigaction(kEndingSignals[i], &before_[i], nullptr);
    sigaction(SIGPIPE, &pipe_before_, nullptr);
  }
  HandledSignals(const HandledSignals&) = delete;
  HandledSignals& operator=(const HandledSignals&) = delete;

 private:
  struct sigaction before_[std::size(kEndingSignals)], pipe_before_;
};

}  // namespace broch::base
