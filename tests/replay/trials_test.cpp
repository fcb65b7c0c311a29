// trials_test.cpp: what programs came to, saved and read back.
#include "trials.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

using broch::replay::Trial;
using broch::replay::Trials;

TEST_CASE("trials: what was saved goes on, under its name") {
  Trials whole;
  whole.of("a", 7) = {7, 3, true, false};
  whole.of("b", 8) = {8, 8, true, true, 7};
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
  CHECK(read.of("b", 99).runs == 7);
  CHECK(read.of("c", 5).tries == 0);
  CHECK(read.of("c", 6).data == 5);
}

TEST_CASE("trials: of a text that is cut what is whole is read") {
  Trials read;
  std::istringstream text("2 a 7 3 1 0 5 b 8");
  read.load(text);
  CHECK(read.of("a", 0).tries == 3);
  CHECK(read.of("b", 5).data == 5);
}

TEST_CASE("trials: runs 8, 64 and 512 compare once more, and once is enough then") {
  Trial trial{.data = 1, .tries = 2, .near = true, .verified = true};
  std::vector<uint64_t> compared;
  for (uint64_t run = 1; run <= 1000; ++run, ++trial.runs)
    if (trial.compares_again()) compared.push_back(run);
  CHECK(compared == std::vector<uint64_t>{8, 64, 512});
  trial.begin_again();
  CHECK_FALSE(trial.verified);
  CHECK_FALSE(trial.near);
  CHECK(trial.tries == 1);
}
