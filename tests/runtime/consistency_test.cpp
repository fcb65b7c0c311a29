// consistency_test.cpp: who waits for whom.
#include "runtime/consistency.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "thread.hpp"

using broch::runtime::Consistency;
using broch::test::Thread;

TEST_CASE("consistency: a change waits for the calls, and goes before later ones") {
  Consistency all;
  all.require();
  std::atomic<int> turn{0};
  int changed = 0, called = 0;
  std::optional<Consistency::Call> first(all);
  Thread other([&] { const Consistency::Call second(all); });
  other.join();  // calls do not wait for each other
  Thread change([&] {
    const Consistency::Change mine(all);
    changed = ++turn;
  });
  change.settle();
  Thread late([&] {
    const Consistency::Call mine(all);
    called = ++turn;
  });
  late.settle();
  CHECK(turn == 0);
  first.reset();
  change.join();
  late.join();
  CHECK(changed == 1);
  CHECK(called == 2);
}

TEST_CASE("consistency: what runs inside, on the same thread, does not wait") {
  Consistency all;
  all.require();
  {
    const Consistency::Change change(all);
    const Consistency::Change inner(all);
    const Consistency::Call call(all);
  }
  {
    const Consistency::Call call(all);
    const Consistency::Call inner(all);
    const Consistency::Change change(all);
  }
  const Consistency::Change change(all);  // nothing is left of these
}

TEST_CASE("consistency: nobody waits where it is not required") {
  Consistency all;
  const Consistency::Change change(all);
  Thread([&] { const Consistency::Change other(all); }).join();
  Thread([&] { const Consistency::Call call(all); }).join();
}

TEST_CASE("consistency: no call overlaps a change, whatever the threads do") {
  Consistency all;
  all.require();
  std::atomic<int> changing{0}, seen{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> changes, calls;
  for (int i = 0; i < 2; ++i) {
    changes.emplace_back([&] {
      while (!over) {
        const Consistency::Change change(all);
        seen += changing++;
        --changing;
      }
    });
    calls.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) {
        const Consistency::Call call(all);
        for (int look = 0; look < 10; ++look) seen += changing;
      }
    });
  }
  for (std::thread& thread : calls) thread.join();
  over = true;
  for (std::thread& thread : changes) thread.join();
  CHECK(seen == 0);
}
