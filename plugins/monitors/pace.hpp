// pace.hpp: how often a file is written as a whole, so that this takes a tenth of the time at most.
//
// Otherwise a training with short epochs is faster than the disk, and its values are dropped.
#pragma once
#include <chrono>

namespace broch::monitors {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // Whether it may be written again.
  bool allows() const { return since_last() >= pause_; }
  // How long ago the last writing began.
  Clock::duration since_last() const { return Clock::now() - begun_; }

  // Writes, and sees how long that takes, also if it fails.
  template <class Action>
  void write(Action&& action) {
    begun_ = Clock::now();
    const End end{*this};
    action();
  }

 private:
  struct End {
    Pace& pace;
    ~End() { pace.pause_ = 10 * pace.since_last(); }
  };

  Clock::time_point begun_{};
  Clock::duration pause_{};
};

}  // namespace broch::monitors
