// watchdog.cpp: a thread that waits for a signal or the end of the run.
#include "train/watchdog.hpp"

#include <poll.h>

#include <chrono>

#include "base/signals.hpp"

namespace broch::train {

namespace {

constexpr int kCheckInterval = 100;  // milliseconds between two checks after a signal
constexpr int kIdleInterval = 1000;  // the same before a signal

bool readable(int fd, int timeout_milliseconds) {
  pollfd event{fd, POLLIN, 0};
  return poll(&event, 1, timeout_milliseconds) > 0;
}

}  // namespace

Watchdog::Watchdog(Interrupt& interrupt, std::function<bool()> is_stuck,
                   std::function<void()> give_up, double patience_seconds)
    : interrupt_(interrupt),
      is_stuck_(std::move(is_stuck)),
      give_up_(std::move(give_up)),
      patience_seconds_(patience_seconds),
      thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  end_.announce();
  thread_.join();
}

void Watchdog::watch() {
  base::block_signals();
  pollfd events[] = {{end_.descriptor(), POLLIN, 0}, {interrupt_.event_fd(), POLLIN, 0}};
  while (poll(events, 2, kIdleInterval) <= 0) interrupt_.raise_overdue();
  if (events[0].revents) return;
  auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> patience(patience_seconds_);
  while (!readable(end_.descriptor(), kCheckInterval)) {
    const auto now = std::chrono::steady_clock::now();
    // Cancelled waits normally end at once, so each wait gets the full time, even one that begins
    // later.
    if (!is_stuck_()) start = now;
    if (now - start > patience) return give_up_();
  }
}

}  // namespace broch::train
