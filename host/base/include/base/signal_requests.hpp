// signal_requests.hpp: which signals belong together.
#pragma once
#include <atomic>
#include <cstdint>
#include <ctime>

namespace broch::base {

// Some programs signal a process and then all processes of its group or job: timeout(1), systemd,
// and batch systems, from which a rank gets the signal once more than from its launcher. So signals
// that come within a tenth of a second are one request. Async-signal-safe.
class SignalRequests {
 public:
  // Whether a signal that comes now belongs to the last request. Otherwise it begins another one.
  bool repeats() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    const int64_t now = int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    if (now - began_ < kTogether) return true;
    began_ = now;
    return false;
  }

 private:
  static constexpr int64_t kTogether = 100'000'000;  // nanoseconds
  std::atomic<int64_t> began_{-kTogether};
};

}  // namespace broch::base
