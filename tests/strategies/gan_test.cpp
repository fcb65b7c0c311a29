// gan_test.cpp: two optimizers over one network: in one run, and in runs of their own.
#include <doctest/doctest.h>

#include <algorithm>

#include "rules.hpp"

using namespace broch::test;

namespace {

// g and d after each hooked run.
struct Played {
  std::vector<double> g, d;
  // Who learnt in each run: "DGG…".
  std::string turns() const {
    std::string text;
    double g_before = 1, d_before = 1;
    for (size_t i = 0; i < g.size(); ++i) {
      text += d[i] != d_before ? (g[i] != g_before ? '*' : 'D') : 'G';
      g_before = g[i], d_before = d[i];
    }
    return text;
  }
};

constexpr double kRate = 0.1;

class Players : public Strategy {
 public:
  explicit Players(const std::string& use) : Strategy(use, PLAYERS, "conformance.players") {
    fetches = {"gen/w", "discrim/w"};
  }
  Played play(const std::vector<double>& data, size_t steps, size_t towers = 1) {
    if (!train(data, towers, steps, {"sgd", kRate})) return {};
    return {values("gen/w"), values("discrim/w")};
  }
};

}  // namespace

TEST_CASE("gan: both sides learn from one forward pass, on the weights from before the step") {
  const std::vector<double> data{1, -2, 0.5, 3};
  Played expected;
  double g = 1, d = 1;
  for (const double x : data) {
    const double slope_of_g = d * x, slope_of_d = g * x + 1;
    expected.g.push_back(g -= kRate * slope_of_g);
    expected.d.push_back(d -= kRate * slope_of_d);
  }
  const Played found = Players("gan").play(data, 4);
  check_near(found.g, expected.g);
  check_near(found.d, expected.d);
}

TEST_CASE("gan: two towers learn from the mean of their gradients") {
  const Played found = Players("gan").play({1, 3}, 1, 2);
  check_near(found.g, {1 - 0.1 * 2});
  check_near(found.d, {1 - 0.1 * (2 + 1)});
}

TEST_CASE("gan: drawn cases end where the plain rule ends") {
  const uint64_t seed = first_seed();
  for (uint64_t i = 0; i < 200; ++i) {
    CAPTURE(seed + i);
    Cases cases(seed + i);
    const Gradients points = cases.gradients(cases.integer(1, 4));
    std::vector<double> data;
    for (const auto& step : points) data.insert(data.end(), step.begin(), step.end());
    Played expected;
    double g = 1, d = 1;
    for (const auto& step : points) {
      const double x = mean_of(step), slope_of_g = d * x, slope_of_d = g * x + 1;
      expected.g.push_back(g -= kRate * slope_of_g);
      expected.d.push_back(d -= kRate * slope_of_d);
    }
    const Played found = Players("gan").play(data, points.size(), points.front().size());
    check_near(found.g, expected.g);
    check_near(found.d, expected.d);
  }
}

TEST_CASE("separate-gan: drawn cases end where the plain rule ends") {
  const uint64_t seed = first_seed();
  for (uint64_t i = 0; i < 200; ++i) {
    CAPTURE(seed + i);
    Cases cases(seed + i);
    const int64_t steps = cases.integer(1, 6), period = cases.integer(1, 3);
    const bool d_waits = cases.integer(0, 1) == 1;
    const int64_t d_period = d_waits ? period : 1, g_period = d_waits ? 1 : period;
    Players players("separate-gan");
    players.with["d_period"] = d_period;
    players.with["g_period"] = g_period;
    std::vector<double> data;
    Played expected;
    double g = 1, d = 1;
    const auto run = [&](bool of_d) {
      const double x = static_cast<double>(static_cast<float>(cases.number(-3, 3)));
      data.push_back(x);
      of_d ? d -= kRate * (g * x + 1) : g -= kRate * (d * x);
      expected.g.push_back(g);
      expected.d.push_back(d);
    };
    for (int64_t step = 0; step < steps; ++step) {
      if (step % d_period == 0) run(true);
      if (step % g_period == 0) run(false);
    }
    const Played found = players.play(data, static_cast<size_t>(steps));
    check_near(found.g, expected.g);
    check_near(found.d, expected.d);
  }
}

TEST_CASE("gan: a side may have an optimizer of its own") {
  Players players("gan");
  players.with["d_optimizer"] = {{"use", "sgd"}, {"with", {{"learning_rate", 0.5}}}};
  const Played found = players.play({1}, 1);
  INFO(players.project.failure);
  check_near(found.g, {0.9});
  check_near(found.d, {1 - 0.5 * 2});
}

TEST_CASE("gan: without variables under a scope it says which cost lacks them") {
  Players players("gan");
  players.with["g_scope"] = "generator";
  players.play({1}, 1);
  INFO(players.project.failure);
  CHECK(players.project.failure.find("no variable that the cost depends on") != std::string::npos);
}

TEST_CASE("separate-gan: the discriminator learns first, the generator on the next data point") {
  const Played found = Players("separate-gan").play({1, 2}, 1);
  REQUIRE(found.turns() == "DG");
  const double d = 1 - 0.1 * (1 + 1);
  check_near(found.d, {d, d});
  check_near(found.g, {1, 1 - 0.1 * d * 2});
}

TEST_CASE("separate-gan: periods count steps, or hooked runs as the seed does") {
  struct Case {
    int d_period, g_period;
    const char* periods;
    int64_t steps;
    const char* turns;
  };
  for (const Case& one :
       {Case{3, 1, "steps", 7, "DGGGDGGGDG"}, Case{1, 5, "steps", 11, "DGDDDDDGDDDDDG"},
        Case{3, 1, "runs", 8, "DGGDGGDGGDGG"}, Case{1, 5, "runs", 13, "DDDDDGDDDDGDDDDG"}}) {
    CAPTURE(one.periods);
    CAPTURE(one.d_period);
    Players players("separate-gan");
    players.with["d_period"] = one.d_period;
    players.with["g_period"] = one.g_period;
    players.with["periods"] = one.periods;
    CHECK(players.play({0.25}, one.steps).turns() == one.turns);
  }
}

// Arjovsky et al. 2017, algorithm 1.
TEST_CASE("separate-gan: a WGAN, whose critic has clipped weights and learns more often") {
  constexpr double kClip = 0.5;
  const std::vector<double> data{1, -2, 3, 3, 3, 3, 3, -3, -3, -2, -3, 2, -3, -1};
  const std::string turns = "DGDDDDDGDDDDDG";
  const Json rule{{"use", "rmsprop"}, {"with", {{"learning_rate", 0.05}}}};
  Players players("separate-gan");
  players.optimizer = rule;
  players.with["g_period"] = 5;
  players.with["d_optimizer"] = {
      {"use", "variable-assignment"},
      {"with",
       {{"operator", "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"},
        {"arguments", {"$variable", -kClip, kClip}},
        {"optimizer", rule}}}};
  const Played found = players.play(data, 11);
  INFO(players.project.failure);
  Played expected;
  double g = 1, d = 1, square_of_g = 0, square_of_d = 0;
  const auto step = [](double& w, double& square, double slope) {
    square = 0.99 * square + 0.01 * slope * slope;
    w -= 0.05 * slope / (std::sqrt(square) + 1e-8);
  };
  for (size_t i = 0; i < data.size(); ++i) {
    if (turns[i] == 'G') {
      step(g, square_of_g, d * data[i]);
    } else {
      step(d, square_of_d, g * data[i] + 1);
      d = std::clamp(d, -kClip, kClip);
    }
    expected.g.push_back(g);
    expected.d.push_back(d);
  }
  check_near(found.g, expected.g);
  check_near(found.d, expected.d);
  CHECK(found.d[0] == kClip);
  CHECK(std::ranges::count(found.d, -kClip) > 0);
}

TEST_CASE("separate-gan: two periods above 1 are refused") {
  Players players("separate-gan");
  players.with["d_period"] = 2;
  players.with["g_period"] = 3;
  players.play({1}, 1);
  INFO(players.project.failure);
  CHECK(players.project.failure.find("one of them has to be 1") != std::string::npos);
}
