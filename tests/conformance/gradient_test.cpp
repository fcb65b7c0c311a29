// gradient_test.cpp: towers whose gradients are unusual, against finite differences.
#include <doctest/doctest.h>

#include <cmath>

#include "conformance/driver.hpp"

using namespace broch::conformance;

namespace {

// The costs of two_costs: softplus of minus and plus the score, averaged.
struct TwoCosts {
  double a = 0, b = 0;
  TwoCosts(const Numbers& x, const Numbers& gen, const Numbers& discrim) {
    Numbers fake = linear(x, gen, 4);
    for (double& value : fake) value = std::tanh(value);
    const Numbers score = linear(fake, discrim, 4);
    for (const double value : score) {
      a += std::log1p(std::exp(-value)) / static_cast<double>(score.size());
      b += std::log1p(std::exp(value)) / static_cast<double>(score.size());
    }
  }
};

// The cost of double_backward: the mean score, and how far the norm of its slope at x is from 1.
double penalised(const Numbers& x, const Numbers& w, const Numbers& v, const Numbers& shift) {
  Numbers moved = x;
  for (size_t i = 0; i < moved.size(); ++i) moved[i] += shift[i % 4];
  const Numbers hidden = linear(moved, w, 4);  // six a row
  double score = 0, penalty = 0;
  const size_t rows = x.size() / 4;
  for (size_t row = 0; row < rows; ++row) {
    double norm = 0;
    for (size_t i = 0; i < 4; ++i) {
      double partial = 0;
      for (size_t j = 0; j < 6; ++j)
        partial += v[j] * (1 - std::pow(std::tanh(hidden[row * 6 + j]), 2)) * w[j * 4 + i];
      norm += partial * partial;
    }
    penalty += std::pow(std::sqrt(norm) - 1, 2) / static_cast<double>(rows);
    for (size_t j = 0; j < 6; ++j) score += v[j] * std::tanh(hidden[row * 6 + j]);
  }
  return score + penalty;
}

}  // namespace

TEST_CASE("tower: the gradient of the sum of two costs is the sum of both gradients") {
  const Result result(
      manifest("two_costs", {"x", "gen/W", "discrim/W", "cost", "cost_a", "cost_b"}));
  const auto first = result.training().checkpoint(0);
  Numbers gen = first.at("gen/W"), discrim = first.at("discrim/W");
  for (size_t step = 0; step < 6; ++step) {
    const Numbers& x = result.at("x", step);
    const TwoCosts costs(x, gen, discrim);
    CHECK(result.number("cost_a", step) == doctest::Approx(costs.a).epsilon(1e-5));
    CHECK(result.number("cost_b", step) == doctest::Approx(costs.b).epsilon(1e-5));
    CHECK(result.number("cost", step) == doctest::Approx(costs.a + costs.b).epsilon(1e-5));
    const auto of_gen = slope(gen, [&](const Numbers& at) {
      const TwoCosts moved(x, at, discrim);
      return moved.a + moved.b;
    });
    const auto of_discrim = slope(discrim, [&](const Numbers& at) {
      const TwoCosts moved(x, gen, at);
      return moved.a + moved.b;
    });
    CHECK(descent_error(gen, result.at("gen/W", step), of_gen) < 1e-6);
    CHECK(descent_error(discrim, result.at("discrim/W", step), of_discrim) < 1e-6);
    gen = result.at("gen/W", step), discrim = result.at("discrim/W", step);
  }
}

TEST_CASE("tower: two costs over one forward pass each move variables of their own") {
  broch::cli_harness::Json apart = manifest("two_costs", {"x", "gen/W", "discrim/W"});
  apart["trainer"] = {{"use", "conformance.two-cost-trainer"}};
  const Result result(apart);
  const auto first = result.training().checkpoint(0);
  Numbers gen = first.at("gen/W"), discrim = first.at("discrim/W");
  for (size_t step = 0; step < 6; ++step) {
    const Numbers& x = result.at("x", step);
    const auto of_gen = slope(gen, [&](const Numbers& at) { return TwoCosts(x, at, discrim).a; });
    const auto of_discrim =
        slope(discrim, [&](const Numbers& at) { return TwoCosts(x, gen, at).b; });
    CHECK(descent_error(gen, result.at("gen/W", step), of_gen) < 1e-6);
    CHECK(descent_error(discrim, result.at("discrim/W", step), of_discrim) < 1e-6);
    gen = result.at("gen/W", step), discrim = result.at("discrim/W", step);
  }
}

TEST_CASE("tower: a variable that the cost does not depend on is named once and left alone") {
  broch::cli_harness::Json manifest_with_slots = manifest("unused_variable", {"cost"});
  manifest_with_slots["optimizer"]["use"] = "momentum";
  const Result result(manifest_with_slots);
  const auto first = result.training().checkpoint(0), last = result.training().checkpoint(6);
  CHECK(last.at("unused") == first.at("unused"));
  CHECK(last.at("W") != first.at("W"));
  size_t slots_of_w = 0;
  for (const auto& [name, value] : last) {
    CHECK_FALSE(name.starts_with("unused/"));
    slots_of_w += name.starts_with("W/");
  }
  CHECK(slots_of_w > 0);
  const std::string log = result.training().text("log.log");
  CHECK(broch::cli_harness::count(log, "the cost does not depend on unused") == 1);
}

TEST_CASE("tower: a gradient that is part of the cost is differentiated again") {
  const Result result(manifest("double_backward", {"x", "W", "V", "shift", "cost"}));
  const auto first = result.training().checkpoint(0);
  Numbers w = first.at("W"), v = first.at("V"), shift = first.at("shift");
  for (size_t step = 0; step < 6; ++step) {
    const Numbers& x = result.at("x", step);
    CHECK(result.number("cost", step) == doctest::Approx(penalised(x, w, v, shift)).epsilon(1e-4));
    const auto of_w = slope(w, [&](const Numbers& at) { return penalised(x, at, v, shift); });
    const auto of_v = slope(v, [&](const Numbers& at) { return penalised(x, w, at, shift); });
    const auto of_shift = slope(shift, [&](const Numbers& at) { return penalised(x, w, v, at); });
    CHECK(descent_error(w, result.at("W", step), of_w) < 1e-5);
    CHECK(descent_error(v, result.at("V", step), of_v) < 1e-5);
    CHECK(descent_error(shift, result.at("shift", step), of_shift) < 1e-5);
    w = result.at("W", step), v = result.at("V", step), shift = result.at("shift", step);
  }
}
