// tower_trials.cpp: a trial is some steps in parallel and as many one after another. After it, the
// faster way is used for some thousand steps.
#include "plan/tower_trials.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace broch::plan {

namespace {

constexpr double kLong = 0.5e-3;  // seconds; synchronization does not matter to longer steps

template <size_t n>
double median(std::array<double, n> times) {
  std::nth_element(times.begin(), times.begin() + n / 2, times.end());
  return times[n / 2];
}

}  // namespace

bool TowerTrials::in_turn(size_t towers) {
  if (std::exchange(towers_, towers) != towers) steps_ = 0;
  constexpr uint32_t kEach = std::tuple_size_v<Times>;
  return steps_ < 2 * kEach ? steps_ >= kEach : turns_;
}

void TowerTrials::took(double seconds) {
  constexpr uint32_t kEach = std::tuple_size_v<Times>, kPeriod = 5000;
  if (steps_ < 2 * kEach) (steps_ < kEach ? together_ : in_turn_)[steps_ % kEach] = seconds;
  ++steps_;
  if (steps_ == kEach && median(together_) > kLong) {  // needs no steps one after another
    steps_ = 2 * kEach;
    turns_ = false;
  } else if (steps_ == 2 * kEach) {
    turns_ = median(in_turn_) < median(together_);
  } else if (steps_ == kPeriod) {
    steps_ = 0;
  }
}

}  // namespace broch::plan
