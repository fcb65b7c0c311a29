// watchdog.hpp: ends the run when, after a signal, a source does not come back from next.
#pragma once
#include <functional>
#include <thread>

#include "plan/interrupt.hpp"
#include "train/names.hpp"

namespace broch::train {

class Watchdog {
 public:
  // give_up is called on the watchdog's thread when, after the interrupt, is_stuck has held for
  // `patience` seconds; it is expected to end the process.
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
  int end_fd_;
  std::thread thread_;
};

}  // namespace broch::train
