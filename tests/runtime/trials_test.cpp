// trials_test.cpp: what programs came to, saved and read back.
#include "trials.hpp"

#include <doctest/doctest.h>

#include <sstream>

using broch::runtime::Trial;
using broch::runtime::Trials;

TEST_CASE("trials: what was saved goes on, under its name") {
  Trials whole;
  whole.of("a", 7) = {7, 3, true, false};
  whole.of("b", 8) = {8, 8, true, true};
  std::stringstream text;
  whole.save(text);
  Trials read;
  read.load(text);
  const Trial& a = read.of("a", 99);
  CHECK(a.data == 7);  // the data of its first run, not of this one
  CHECK(a.tries == 3);
  CHECK(a.near);
  CHECK_FALSE(a.verified);
  CHECK(read.of("b", 99).verified);
  CHECK(read.of("c", 5).tries == 0);
  CHECK(read.of("c", 6).data == 5);
}

TEST_CASE("trials: of a text that is cut what is whole is read") {
  Trials read;
  std::istringstream text("2 a 7 3 1 0 b 8");
  read.load(text);
  CHECK(read.of("a", 0).tries == 3);
  CHECK(read.of("b", 5).data == 5);
}
