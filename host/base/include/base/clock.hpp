// clock.hpp: time, replaceable in tests.
#pragma once
#include <cstdint>
#include <string>

namespace broch::base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual double monotonic() const = 0;  // seconds, any origin, never goes back
  virtual double wall() const = 0;       // seconds since 1970-01-01 UTC
};

// The clock of this process.
const Clock& system_clock();

// A clock that a test moves by hand.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(double wall_start = 1.0e9) : wall_start_(wall_start) {}
  double monotonic() const override { return elapsed_; }
  double wall() const override { return wall_start_ + elapsed_; }
  void advance(double seconds) { elapsed_ += seconds; }

 private:
  double wall_start_;
  double elapsed_ = 0;
};

// "MMDD-HHMMSS" in local time, as tensorpack names what it moves out of the way.
std::string file_stamp(double wall_seconds);

}  // namespace broch::base
