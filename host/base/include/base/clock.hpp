// clock.hpp: the time, from a clock that tests can replace.
#pragma once
#include <cstdint>
#include <string>

namespace broch::base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual double monotonic() const = 0;  // seconds since an arbitrary origin; never goes back
  virtual double wall() const = 0;       // seconds since 1970-01-01 UTC
};

// The clock of this process.
const Clock& system_clock();

// A clock for tests, which only `advance` moves.
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

// The local time as "MMDD-HHMMSS". tensorpack adds the same stamp to folders that it renames.
std::string file_stamp(double wall_seconds);

}  // namespace broch::base
