// cancel_source_test.cpp: waiting for a cancel of the plugin's own.
#include <doctest/doctest.h>

#include <broch/cpp/cancel_source.hpp>
#include <chrono>
#include <thread>

TEST_CASE("cancel source: a wait without an end, or with a distant one, ends with the cancel") {
  for (const int64_t timeout : {int64_t{-1}, INT64_MAX, INT64_MAX - 999'998}) {
    broch::CancelSource source;
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      source.cancel();
    });
    CHECK(source.c()->wait(source.c()->context, timeout) == 1);
    later.join();
  }
}

TEST_CASE("cancel source: a wait ends after its time") {
  const broch::CancelSource source;
  const auto start = std::chrono::steady_clock::now();
  CHECK(source.c()->wait(source.c()->context, 19'000'001) == 0);
  CHECK(std::chrono::steady_clock::now() - start > std::chrono::milliseconds(19));
  CHECK(source.c()->wait(source.c()->context, 0) == 0);
}
