// variable_writes_test.cpp: who waits for whom, and how waiting ends.
#include "runtime/variable_writes.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "thread.hpp"

using namespace broch::runtime;
using broch::test::Thread;
using std::chrono::milliseconds;

namespace {

void write_to(VariableWrites& writes) { const VariableWrites::Write write(writes); }

// Long enough for a thread to do what it must not do.
void wait_a_little() { std::this_thread::sleep_for(milliseconds(30)); }

}  // namespace

TEST_CASE("variable writes: a write waits for the end of a pause") {
  VariableWrites writes;
  std::atomic<bool> written{false};
  std::optional<VariableWrites::Pause> pause(writes);
  Thread writer([&] {
    write_to(writes);
    written = true;
  });
  writer.settle();
  CHECK_FALSE(written);
  CHECK_FALSE(pause->broken());
  pause.reset();
  writer.join();
  CHECK(written);
}

TEST_CASE("variable writes: a pause begins when all writes have ended") {
  VariableWrites writes;
  std::atomic<bool> begun{false};
  auto one = std::make_unique<VariableWrites::Write>(writes);
  auto other = std::make_unique<VariableWrites::Write>(writes);
  Thread pauser([&] {
    const VariableWrites::Pause pause(writes);
    begun = true;
    CHECK_FALSE(pause.broken());
  });
  pauser.settle();
  one.reset();
  wait_a_little();
  CHECK_FALSE(begun);
  other.reset();
  pauser.join();
}

TEST_CASE("variable writes: a write that waits comes before the next pause") {
  VariableWrites writes;
  std::atomic<int> turn{0};
  int written = 0, paused = 0;
  std::optional<VariableWrites::Pause> first(writes);
  Thread writer([&] {
    const VariableWrites::Write write(writes);
    written = ++turn;
  });
  writer.settle();
  Thread pauser([&] {
    const VariableWrites::Pause second(writes);
    paused = ++turn;
  });
  pauser.settle();
  CHECK(turn == 0);
  first.reset();
  writer.join();
  pauser.join();
  CHECK(written == 1);
  CHECK(paused == 2);
}

TEST_CASE("variable writes: whoever waits for the writing thread does so in vain once") {
  VariableWrites writes{milliseconds(20)};
  const VariableWrites::Pause pause(writes);
  std::thread(write_to, std::ref(writes)).join();  // the pause does not end before the write
  CHECK(pause.broken());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) std::thread(write_to, std::ref(writes)).join();
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(100 * 20));
}

TEST_CASE("variable writes: a write on the thread of the pause does not wait, and breaks it") {
  VariableWrites writes, others;
  const VariableWrites::Pause pause(writes);
  write_to(others);
  CHECK_FALSE(pause.broken());
  {
    const VariableWrites::Pause inner(writes);
    write_to(writes);
    CHECK(inner.broken());
  }
  CHECK(pause.broken());
}

TEST_CASE("variable writes: nothing is written in a pause, whatever the threads do") {
  VariableWrites writes;
  std::atomic<int> writing{0}, seen{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!over) {
        const VariableWrites::Write write(writes);
        ++writing;
        --writing;
      }
    });
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) {
        const VariableWrites::Pause pause(writes);
        for (int look = 0; look < 10; ++look) seen += writing;
      }
    });
  threads[2].join();
  threads[3].join();
  over = true;
  threads[0].join();
  threads[1].join();
  CHECK(seen == 0);
}
