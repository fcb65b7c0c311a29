// watchdog.hpp: ends the process if an input source hangs in next after a signal.
#pragma once
#include <functional>
#include <thread>

#include "base/event_fd.hpp"
#include "plan/interrupt.hpp"
#include "train/names.hpp"

namespace broch::train {

class Watchdog {
 public:
  // give_up is called on the watchdog's thread if, after the interrupt, is_stuck holds for
  // patience_seconds. It should end the process.
  Watchdog(Interrupt& interrupt, std::function<bool()> is_stuck, std::function<void()> give_up,
           double patience_seconds = 5);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();

  Interrupt& interrupt_;
  std::function<bool()> is_stuck_;
  std::function<void()> give_up_;
  double patience_seconds_;
  base::EventFd end_;
  std::thread thread_;
};

}  // namespace broch::train
