#include "train/watchdog.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

using namespace broch;

namespace {

constexpr double kPatience = 0.4;

// A watchdog over a wait of which the test says when it begins and ends.
struct Watched {
  plan::Interrupt interrupt;
  std::atomic<bool> stuck{false};
  std::atomic<int> given_up{0};
  train::Watchdog watchdog{interrupt, [this] { return stuck.load(); }, [this] { ++given_up; },
                           kPatience};
};

void pass(double patiences) {
  std::this_thread::sleep_for(std::chrono::duration<double>(patiences * kPatience));
}

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
  run.interrupt.raise(SIGTERM);
  pass(0.5);
  CHECK(run.given_up == 0);
  pass(2.5);
  CHECK(run.given_up == 1);
}

TEST_CASE("watchdog: a wait that begins late has its own time") {
  Watched run;
  run.interrupt.raise(SIGTERM);
  pass(2);  // a slow step
  run.stuck = true;
  pass(0.5);
  CHECK(run.given_up == 0);
  run.stuck = false;
  pass(2);
  CHECK(run.given_up == 0);
}
