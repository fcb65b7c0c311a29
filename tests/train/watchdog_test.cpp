#include "train/watchdog.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

using namespace broch;

namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kPatience = 0.4;

// A watchdog over a wait of which the test says when it begins and ends.
struct Watched {
  plan::Interrupt interrupt;
  std::atomic<bool> stuck{false};
  std::atomic<int> given_up{0};
  steady_clock::time_point given_up_at;  // from given_up on
  train::Watchdog watchdog{interrupt, [this] { return stuck.load(); },
                           [this] {
                             given_up_at = steady_clock::now();
                             ++given_up;
                           },
                           kPatience};

  // Waits until it is given up: how many patiences that was after the start.
  double patiences_since(steady_clock::time_point start) const {
    for (int i = 0; i < 2000 && given_up == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(given_up.load() > 0);
    return Seconds(given_up_at - start).count() / kPatience;
  }
};

void pass(double patiences) { std::this_thread::sleep_for(Seconds(patiences * kPatience)); }

}  // namespace

TEST_CASE("watchdog: without a signal a wait may last") {
  Watched run;
  run.stuck = true;
  pass(2);
  CHECK(run.given_up == 0);
}

TEST_CASE("watchdog: a wait that lasts after a signal is given up, once") {
  Watched run;
  run.stuck = true;
  const auto start = steady_clock::now();
  run.interrupt.raise(SIGTERM);
  CHECK(run.patiences_since(start) > 1);
  pass(1);
  CHECK(run.given_up == 1);
}

TEST_CASE("watchdog: a wait that begins late has its own time") {
  Watched run;
  run.interrupt.raise(SIGTERM);
  pass(2);  // a slow step
  CHECK(run.given_up == 0);
  const auto start = steady_clock::now();
  run.stuck = true;
  CHECK(run.patiences_since(start) > 0.5);  // counted from the last look before it
}
