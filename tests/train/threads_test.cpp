// threads_test.cpp: bodies that run side by side.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

#include "plan/tower_threads.hpp"
#include "plan/tower_trials.hpp"

using broch::plan::TowerThreads;
using broch::plan::TowerTrials;

TEST_CASE("threads: bodies run at the same time, each with a number of its own") {
  TowerThreads threads;
  for (int time = 0; time < 200; ++time) {
    std::latch all(3);
    std::atomic<int> sum{0};
    threads.run(3, [&](size_t number) {
      all.arrive_and_wait();  // hangs unless all three are there
      sum += 1 << number;
    });
    CHECK(sum == 0b111);
  }
}

TEST_CASE("threads: a run waits for those that sleep, and wakes those that slept") {
  TowerThreads threads;
  std::atomic<int> done{0};
  for (int time = 0; time < 3; ++time) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    threads.run(2, [&](size_t number) {
      if (number == 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++done;
    });
    CHECK(done == 2 * (time + 1));
  }
}

TEST_CASE("threads: the failure of the lowest number is thrown after all have ended") {
  TowerThreads threads;
  std::atomic<int> ended{0};
  const auto failing_from = [&](size_t first) {
    return [&, first](size_t number) {
      ++ended;
      if (number >= first) throw std::runtime_error(std::to_string(number));
    };
  };
  for (const size_t first : {0, 1, 2}) {
    ended = 0;
    std::string what;
    try {
      threads.run(4, failing_from(first));
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    CHECK(what == std::to_string(first));
    CHECK(ended == 4);
  }
  threads.run(4, failing_from(9));  // goes on working
}

TEST_CASE("threads: one body runs on the calling thread") {
  TowerThreads threads;
  std::thread::id where;
  threads.run(1, [&](size_t) { where = std::this_thread::get_id(); });
  CHECK(where == std::this_thread::get_id());
}

TEST_CASE("trials: the way that takes less time, unless both take long") {
  // Seconds of a step with its towers together, and in turn.
  const auto chosen = [](double together, double in_turn) {
    TowerTrials trials;
    for (int step = 0; step < 100; ++step) trials.took(trials.in_turn(2) ? in_turn : together);
    return trials.in_turn(2);
  };
  CHECK(chosen(200e-6, 100e-6));
  CHECK_FALSE(chosen(100e-6, 200e-6));
  CHECK_FALSE(chosen(2e-3, 1e-3));
}

TEST_CASE("trials: a step that was held up decides nothing, and it is tried again in time") {
  TowerTrials trials;
  int64_t turns = 0;
  for (int step = 0; step < 19000; ++step) {
    const bool now_faster = step > 10000;
    const bool in_turn = trials.in_turn(2);
    turns += in_turn && now_faster;
    trials.took(step % 6 == 0 ? 1 : in_turn == now_faster ? 50e-6 : 100e-6);
  }
  CHECK(turns > 3900);
  CHECK(trials.in_turn(2));
  CHECK_FALSE(trials.in_turn(3));  // others, which are tried together first
}
