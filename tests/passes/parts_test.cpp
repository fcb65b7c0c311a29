// parts_test.cpp: the parts of a kernel run at the same time, and cover all of it.
#include "parts.hpp"

#include <ATen/Parallel.h>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace broch::passes;

namespace {

constexpr double kMuch = 1e9, kLittle = 1e3;  // floating-point operations
constexpr std::chrono::seconds kPatience{30};

// Whether `expected` callers are in meet() at the same time.
struct Meeting {
  const int expected;
  std::atomic<int> there{0};

  bool meet() {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    ++there;
    while (there < expected) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
};

struct Threads {
  explicit Threads(int count) : before(at::get_num_threads()) { at::set_num_threads(count); }
  ~Threads() { at::set_num_threads(before); }
  const int before;
};

}  // namespace

TEST_CASE("parts: as many run at the same time as there are threads") {
  const Threads threads(3);
  const Parts parts(30, kMuch);
  REQUIRE(parts.count == 3);
  Meeting meeting{3};
  std::atomic<int> met{0};
  parts.run([&](int64_t, int64_t, int64_t) { met += meeting.meet(); });
  CHECK(met == 3);
}

TEST_CASE("parts: ranges of elements run at the same time, too") {
  const Threads threads(2);
  Meeting meeting{2};
  std::atomic<int> met{0};
  in_parallel(1000, kMuch, [&](int64_t, int64_t) { met += meeting.meet(); });
  CHECK(met == 2);
}

TEST_CASE("parts: another thread than the first has as many helpers") {
  const Threads threads(2);
  std::atomic<int> met{0};
  std::thread tower([&] {
    Meeting meeting{2};
    Parts(2, kMuch).run([&](int64_t, int64_t, int64_t) { met += meeting.meet(); });
  });
  tower.join();
  CHECK(met == 2);
}

TEST_CASE("parts: little work stays in one thread") {
  const Threads threads(3);
  CHECK(Parts(1000, kLittle).count == 1);
  const auto caller = std::this_thread::get_id();
  in_parallel(1000, kLittle / 1000, [&](int64_t begin, int64_t end) {
    CHECK(std::this_thread::get_id() == caller);
    CHECK(begin == 0);
    CHECK(end == 1000);
  });
}

TEST_CASE("parts: each item is in one part, and parts begin at multiples of the step") {
  const Threads threads(3);
  for (const int64_t items : {1, 2, 3, 7, 8, 9, 64, 100, 101})
    for (const int64_t step : {1, 8, 16}) {
      CAPTURE(items);
      CAPTURE(step);
      std::vector<std::atomic<int>> seen(static_cast<size_t>(items));
      std::atomic<int> misplaced{0};
      Parts(items, kMuch, step).run([&](int64_t begin, int64_t end, int64_t part) {
        misplaced += begin % step != 0 || begin >= end || part < 0;
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      });
      CHECK(misplaced == 0);
      for (const auto& times : seen) CHECK(times == 1);
    }
}

TEST_CASE("parts: nothing is called for no items") {
  const Threads threads(3);
  int calls = 0;
  Parts(0, kMuch).run([&](int64_t, int64_t, int64_t) { ++calls; });
  in_parallel(0, kMuch, [&](int64_t, int64_t) { ++calls; });
  CHECK(Parts(0, kMuch, 8).count == 0);
  CHECK(calls == 0);
}
