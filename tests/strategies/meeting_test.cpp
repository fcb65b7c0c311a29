// meeting_test.cpp: towers that exchange values in the middle of their steps.
#include <doctest/doctest.h>

#include <cmath>

#include "rules.hpp"

using namespace broch::test;

namespace {

struct Together : Strategy {
  explicit Together(const char* use) : Strategy(use, TOGETHER, "conformance.together") {
    fetches = {"v", "w"};
  }
};

// The gradients of the mean over n towers of their costs.
double of_mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double one : x) sum += one;
  const auto n = static_cast<double>(x.size());
  return sum / n * sum / n;
}
double of_sum(const std::vector<double>& x) { return of_mean(x) * static_cast<double>(x.size()); }

std::vector<double> flat(const Gradients& steps) {
  std::vector<double> all;
  for (const auto& step : steps) all.insert(all.end(), step.begin(), step.end());
  return all;
}

}  // namespace

TEST_CASE("meeting: mean and sum over towers, and their gradients") {
  for (const char* use : {"sync-parameter-server", "sync-replicated"}) {
    CAPTURE(use);
    Together strategy(use);
    REQUIRE(strategy.train({1, 3}, 2, 1, {"sgd", 0.1}));
    check_near(strategy.values("v"), {1 - 0.1 * 4});
    check_near(strategy.values("w"), {1 - 0.1 * 8});
  }
}

TEST_CASE("meeting: one tower has nobody to meet") {
  Together strategy("simple");
  REQUIRE(strategy.train({3}, 1, 1, {"sgd", 0.1}));
  check_near(strategy.values("v"), {0.1});
  check_near(strategy.values("w"), {0.1});
}

TEST_CASE("meeting: drawn cases end where the plain rule ends, recorded, eager and audited") {
  const uint64_t seed = first_seed();
  for (uint64_t i = 0; i < 60; ++i) {
    CAPTURE(seed + i);
    Cases cases(seed + i);
    const Optimizer optimizer = cases.optimizer();
    Gradients steps = cases.gradients(cases.integer(2, 5));
    for (auto& step : steps)
      for (double& x : step) x = std::abs(x);  // what cancels would leave rounding alone
    Together strategy(cases.integer(0, 1) == 1 ? "sync-replicated" : "sync-parameter-server");
    strategy.execution = std::vector{"auto", "eager", "audit"}[static_cast<size_t>(i % 3)];
    Descent v(optimizer), w(optimizer);
    std::vector<double> of_v, of_w;
    for (const auto& step : steps) {
      v.apply(of_mean(step));
      w.apply(of_sum(step));
      of_v.push_back(v.w);
      of_w.push_back(w.w);
    }
    REQUIRE(strategy.train(flat(steps), steps.front().size(), steps.size(), optimizer));
    check_near(strategy.values("v"), of_v);
    check_near(strategy.values("w"), of_w);
  }
}

TEST_CASE("meeting: gradients that are applied one tower after the other are refused") {
  Together strategy("async");
  CHECK_FALSE(strategy.train({1, 3}, 2, 1, {"sgd", 0.1}));
  INFO(strategy.project.failure);
  CHECK(strategy.project.failure.find("gradients of 1 of 2 towers, and tower 'tower0'") !=
        std::string::npos);
  CHECK(strategy.project.failure.find("use a trainer that reduces") != std::string::npos);
}

TEST_CASE("meeting: towers that call all_reduce differently are told which, and do not hang") {
  for (const char* execution : {"auto", "eager"}) {
    Strategy strategy("sync-replicated", APART, "conformance.apart");
    strategy.execution = execution;
    CHECK_FALSE(strategy.train({1, 3, 5}, 3, 1, {"sgd", 0.1}));
    INFO(strategy.project.failure);
    CHECK(strategy.project.failure.find(
              "tower 'tower0' of model 'apart' (conformance.apart) comes to the end of "
              "its step, tower 'tower1' of model 'apart' (conformance.apart) to "
              "all_reduce mean of float32 ()") != std::string::npos);
  }
}
