// state_test.cpp: towers with variables that a step writes.
#include <doctest/doctest.h>

#include <cmath>

#include "conformance/driver.hpp"

using namespace broch::conformance;

TEST_CASE("tower: state written in one step is what the next one reads") {
  const Result result(manifest("state", {"x", "state_before", "state", "W", "cost"}));
  REQUIRE(result.steps("state") == 6);
  Numbers before(3, 0.0), w = result.training().checkpoint(0).at("W");
  for (size_t step = 0; step < 6; ++step) {
    CHECK(result.at("state_before", step) == before);
    const Numbers y = linear(result.at("x", step), w, 4);
    Numbers hidden(15), average(3, 0.0);
    for (size_t i = 0; i < 15; ++i) {
      hidden[i] = std::tanh(y[i] + before[i % 3]);
      average[i % 3] += hidden[i] / 5;
    }
    CHECK(result.number("cost", step) == doctest::Approx(mean_square(hidden)).epsilon(1e-5));
    before = result.at("state", step);
    for (size_t i = 0; i < 3; ++i) CHECK(before[i] == doctest::Approx(average[i]).epsilon(1e-5));
    w = result.at("W", step);
  }
  CHECK(result.training().checkpoint(6).at("state") == before);
}

TEST_CASE("tower: a read after an update sees the new value, an older handle the old one") {
  const Result result(manifest("read_after_update", {"x", "old_kt", "new_kt", "kt", "W", "cost"}));
  REQUIRE(result.steps("kt") == 6);
  Numbers w = result.training().checkpoint(0).at("W");
  for (size_t step = 0; step < 6; ++step) {
    const double old_kt = 0.5 + 0.125 * static_cast<double>(step);
    CHECK(result.number("old_kt", step) == old_kt);
    CHECK(result.number("new_kt", step) == old_kt + 0.125);
    CHECK(result.number("kt", step) == old_kt + 0.125);
    const double cost = mean_square(linear(result.at("x", step), w, 4)) * (old_kt + 0.125);
    CHECK(result.number("cost", step) == doctest::Approx(cost).epsilon(1e-5));
    w = result.at("W", step);
  }
  CHECK(result.training().checkpoint(6).at("kt") == Numbers{1.25});
}

TEST_CASE("tower: the share of dropped elements follows the setter that changes the rate") {
  broch::cli_harness::Json changed = manifest("dropout_rate", {"mask", "dropout_rate"});
  changed["dataflow"]["with"]["components"][0]["shape"] = {250, 4};
  changed["max_epoch"] = 2;
  changed["callbacks"].push_back(
      {{"use", "scheduled-hyper-param-setter"},
       {"with", {{"param", "dropout_rate"}, {"schedule", {{1, 0.75}}}}}});
  const Result result(changed);
  REQUIRE(result.steps("mask") == 12);
  double kept[2] = {0, 0};
  for (size_t step = 0; step < 12; ++step) {
    CHECK(result.number("dropout_rate", step) == (step < 6 ? 0.25 : 0.75));
    kept[step / 6] += mean(result.at("mask", step)) / 6;
  }
  // 12,000 draws each: five standard deviations are 0.02.
  CHECK(std::fabs(kept[0] - 0.75) < 0.02);
  CHECK(std::fabs(kept[1] - 0.25) < 0.02);
  CHECK(result.at("mask", 0) != result.at("mask", 1));
}
