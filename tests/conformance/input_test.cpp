// input_test.cpp: towers whose inputs come in unusual ways.
#include <doctest/doctest.h>

#include <cmath>

#include "conformance/driver.hpp"

using namespace broch::conformance;

TEST_CASE("tower: what is fed for a published slice is what the tower goes on with") {
  broch::cli_harness::Json fed = manifest("fed_slice", {"slice", "value", "cost", "W"});
  fed["callbacks"].push_back(
      {{"use", "conformance.feed"}, {"with", {{"name", "slice"}, {"rows", 2}, {"columns", 3}}}});
  const Result result(fed);
  const Numbers slice{0.125, 0.25, 0.375, 0.5, 0.625, 0.75};
  Numbers w = result.training().checkpoint(0).at("W");
  REQUIRE(result.steps("value") == 6);
  for (size_t step = 0; step < 6; ++step) {
    CHECK(result.at("slice", step) == slice);
    const Numbers value = linear(slice, w, 3);
    REQUIRE(result.at("value", step).size() == value.size());
    for (size_t i = 0; i < value.size(); ++i)
      CHECK(result.at("value", step)[i] == doctest::Approx(value[i]).epsilon(1e-5));
    const auto cost = [&](const Numbers& at) { return mean_square(linear(slice, at, 3)); };
    CHECK(descent_error(w, result.at("W", step), slope(w, cost)) < 1e-6);
    w = result.at("W", step);
  }
}

TEST_CASE("tower: without a feeder a published slice is the slice of the input") {
  const Result result(manifest("fed_slice", {"x", "slice"}));
  for (size_t step = 0; step < 6; ++step)
    for (size_t i = 0; i < 15; ++i)
      CHECK(result.at("slice", step)[i] == result.at("x", step)[i / 3 * 4 + i % 3]);
}

TEST_CASE("tower: a constant of the plugin's own has the same values in every step") {
  const Result result(manifest("captured_constant", {"x", "W", "cost"}));
  const Numbers scale{0.5, -1, 2, 0.25};
  Numbers w = result.training().checkpoint(0).at("W");
  for (size_t step = 0; step < 6; ++step) {
    Numbers x = result.at("x", step);
    for (size_t i = 0; i < x.size(); ++i) x[i] *= scale[i % 4];
    const auto cost = [&](const Numbers& at) { return mean_square(linear(x, at, 4)); };
    CHECK(result.number("cost", step) == doctest::Approx(cost(w)).epsilon(1e-5));
    CHECK(descent_error(w, result.at("W", step), slope(w, cost)) < 1e-6);
    w = result.at("W", step);
  }
}

TEST_CASE("tower: a value read on the host may decide what is computed and is told once") {
  const Result result(manifest("host_read", {"x", "W", "cost"}));
  Numbers w = result.training().checkpoint(0).at("W");
  bool both[2] = {false, false};
  for (size_t step = 0; step < 6; ++step) {
    const bool positive = mean(result.at("x", step)) > 0;
    both[positive] = true;
    Numbers y = linear(result.at("x", step), w, 4);
    for (double& value : y) value = positive ? std::max(value, 0.0) : -value;
    CHECK(result.number("cost", step) == doctest::Approx(mean_square(y)).epsilon(1e-5));
    w = result.at("W", step);
  }
  CHECK(both[0]);
  CHECK(both[1]);
  CHECK(broch::cli_harness::count(result.training().text("log.log"), "reads a value on the host") ==
        1);
}

TEST_CASE("tower: the last batch of an epoch may be smaller") {
  using broch::cli_harness::Json;
  Json ragged = manifest("ragged_batch", {"x", "y", "cost"});
  Json rows = ragged["dataflow"];
  rows["with"]["size"] = 10;
  rows["with"]["components"][0]["shape"] = {4};
  ragged["dataflow"] = {{"use", "batch"},
                        {"with", {{"batch_size", 4}, {"remainder", true}, {"dataflow", rows}}}};
  ragged["max_epoch"] = 2;
  const Result result(ragged);
  REQUIRE(result.steps("y") == 6);
  for (size_t step = 0; step < 6; ++step) {
    const Numbers& y = result.at("y", step);
    REQUIRE(y.size() == (step % 3 == 2 ? 6 : 12));
    const double n = static_cast<double>(y.size()) / 3;
    double center[3] = {0, 0, 0}, cost = 0;
    for (size_t i = 0; i < y.size(); ++i) center[i % 3] += y[i] / n;
    for (size_t i = 0; i < y.size(); ++i) cost += std::pow(y[i] - center[i % 3], 2);
    CHECK(result.number("cost", step) == doctest::Approx(cost).epsilon(1e-4));
  }
}
