// gan_test.cpp: two optimizers over one network: in one run, and in runs of their own.
#include <doctest/doctest.h>

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

TEST_CASE("separate-gan: two periods above 1 are refused") {
  Players players("separate-gan");
  players.with["d_period"] = 2;
  players.with["g_period"] = 3;
  players.play({1}, 1);
  INFO(players.project.failure);
  CHECK(players.project.failure.find("one of them has to be 1") != std::string::npos);
}
