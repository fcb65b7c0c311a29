// clock_test.cpp: the clock of a test and the stamp of a moved file.
#include "base/clock.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <ctime>

using namespace broch::base;

TEST_CASE("clock: a fake clock moves only by hand, both of its times together") {
  FakeClock clock(1000.0);
  CHECK(clock.monotonic() == 0.0);
  clock.advance(2.5);
  CHECK(clock.monotonic() == 2.5);
  CHECK(clock.wall() == 1002.5);
}

TEST_CASE("clock: a file stamp is month, day, hour, minute, second in local time") {
  setenv("TZ", "UTC", 1);
  tzset();
  CHECK(file_stamp(1.0e9) == "0909-014640");  // 2001-09-09 01:46:40 UTC
}

TEST_CASE("clock: monotonic time does not go back") {
  const double first = system_clock().monotonic();
  CHECK(system_clock().monotonic() >= first);
  CHECK(system_clock().wall() > 1.6e9);
}
