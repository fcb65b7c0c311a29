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

// The score of saliency and gradient_penalty for each row, and its slope at x.
struct Score {
  Numbers value, slope;
  Score(const Numbers& x, const Numbers& w, const Numbers& v) {
    const Numbers hidden = linear(x, w, 4);  // six a row
    for (size_t row = 0; row < x.size() / 4; ++row) {
      value.push_back(0);
      for (size_t j = 0; j < 6; ++j) value.back() += v[j] * std::pow(hidden[row * 6 + j], 2);
      for (size_t i = 0; i < 4; ++i) {
        slope.push_back(0);
        for (size_t j = 0; j < 6; ++j)
          slope.back() += 2 * v[j] * hidden[row * 6 + j] * w[j * 4 + i];
      }
    }
  }
};

// The cost of saliency.
double off_by(const Numbers& moved, const Numbers& w, const Numbers& v) {
  Numbers off = Score(moved, w, v).value;
  for (double& value : off) value -= 1;
  return mean_square(off) / 8;
}

// The penalty of gradient_penalty at these points.
double steepness(const Numbers& between, const Numbers& w, const Numbers& v) {
  const Numbers slope = Score(between, w, v).slope;
  double sum = 0;
  for (size_t at = 0; at < slope.size(); at += 4) {
    double square = 0;
    for (size_t i = at; i < at + 4; ++i) square += slope[i] * slope[i];
    sum += std::pow(std::sqrt(square) - 1, 2);
  }
  return sum / static_cast<double>(slope.size() / 4);
}

// The rest of its cost: how much more the critic gives what the generator makes of x than x.
double distance(const Numbers& x, const Numbers& w, const Numbers& v, const Numbers& g) {
  Numbers fake = x;
  for (size_t i = 0; i < fake.size(); ++i) fake[i] = std::tanh(x[i] * g[i % 4]);
  return mean(Score(fake, w, v).value) - mean(Score(x, w, v).value);
}

void check_close(const Numbers& found, const Numbers& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(found[i] - expected[i]) < tolerance);
  }
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

TEST_CASE("tower: the slope at a tracked input, and training on points moved along its sign") {
  const Result result(manifest("saliency", {"x", "W", "V", "saliency", "moved", "cost"}));
  const auto first = result.training().checkpoint(0);
  Numbers w = first.at("W"), v = first.at("V");
  for (size_t step = 0; step < 6; ++step) {
    const Numbers &x = result.at("x", step), &moved = result.at("moved", step);
    const Numbers& saliency = result.at("saliency", step);
    check_close(saliency, Score(x, w, v).slope, 1e-5);
    Numbers along_sign = x;
    for (size_t i = 0; i < x.size(); ++i) along_sign[i] += std::copysign(0.125, saliency[i]);
    check_close(moved, along_sign, 1e-6);
    CHECK(result.number("cost", step) == doctest::Approx(off_by(moved, w, v)).epsilon(1e-4));
    // The moved points are constants: no gradient flows through the slope.
    const auto of_w = slope(w, [&](const Numbers& at) { return off_by(moved, at, v); });
    const auto of_v = slope(v, [&](const Numbers& at) { return off_by(moved, w, at); });
    CHECK(descent_error(w, result.at("W", step), of_w) < 1e-5);
    CHECK(descent_error(v, result.at("V", step), of_v) < 1e-5);
    w = result.at("W", step), v = result.at("V", step);
  }
}

TEST_CASE("tower: a gradient penalty at tracked points moves the critic, not the generator") {
  const Result result(
      manifest("gradient_penalty", {"x", "W", "V", "G", "between", "penalty", "cost"}));
  const auto first = result.training().checkpoint(0);
  Numbers w = first.at("W"), v = first.at("V"), g = first.at("G");
  for (size_t step = 0; step < 6; ++step) {
    const Numbers &x = result.at("x", step), &between = result.at("between", step);
    const double penalty = steepness(between, w, v);
    CHECK(result.number("penalty", step) == doctest::Approx(penalty).epsilon(1e-4));
    CHECK(result.number("cost", step) ==
          doctest::Approx(distance(x, w, v, g) + penalty).epsilon(1e-4));
    const auto of_w = slope(
        w, [&](const Numbers& at) { return distance(x, at, v, g) + steepness(between, at, v); });
    const auto of_v = slope(
        v, [&](const Numbers& at) { return distance(x, w, at, g) + steepness(between, w, at); });
    const auto of_g = slope(g, [&](const Numbers& at) { return distance(x, w, v, at); });
    CHECK(descent_error(w, result.at("W", step), of_w) < 1e-5);
    CHECK(descent_error(v, result.at("V", step), of_v) < 1e-5);
    CHECK(descent_error(g, result.at("G", step), of_g) < 1e-5);
    w = result.at("W", step), v = result.at("V", step), g = result.at("G", step);
  }
}

TEST_CASE("tower: the slope at a tracked input is the same in inference") {
  broch::cli_harness::Json made = manifest("saliency", {"cost"});
  made["monitors"] = {"json-writer"};
  made["callbacks"].push_back(
      {{"use", "inference-runner"},
       {"with",
        {{"dataflow", made["dataflow"]},
         {"inferencers", broch::cli_harness::Json::array(
                             {{{"use", "scalar-stats"},
                               {"with", {{"names", {"error", "cost"}}, {"prefix", "val"}}}}})}}}});
  const Result result(made);
  const broch::cli_harness::Json stats = result.training().stats();
  CHECK(stats.back().at("val_error").get<double>() < 1e-5);
  CHECK(std::isfinite(stats.back().at("val_cost").get<double>()));
}

TEST_CASE("tower: a backward that differentiates what it computes again gives the same training") {
  const Result by_hand(manifest("recompute", {"W"}));
  const Result again(manifest("checkpointed", {"W"}));
  for (size_t step = 0; step < 6; ++step)
    check_close(again.at("W", step), by_hand.at("W", step), 1e-6);
}

TEST_CASE("operation: gradients with respect to the variables that it tracks") {
  broch::cli_harness::Json made = manifest("dream", {"W", "dream", "slope"});
  made["callbacks"].push_back("conformance.dreamer");
  const Result result(made);
  for (size_t step = 0; step + 1 < 6; ++step) {
    const Numbers &w = result.at("W", step), &dream = result.at("dream", step);
    const Numbers hidden = linear(dream, w, 4);
    Numbers moved = dream, of_w(w.size());
    for (size_t j = 0; j < 3; ++j) {
      const double through = 1 - std::pow(std::tanh(hidden[j]), 2);
      for (size_t i = 0; i < 4; ++i) {
        moved[i] += through * w[j * 4 + i] / 16;
        of_w[j * 4 + i] = through * dream[i];
      }
    }
    check_close(result.at("dream", step + 1), moved, 1e-5);
    check_close(result.at("slope", step + 1), of_w, 1e-5);
  }
}
