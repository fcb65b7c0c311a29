// synchronous_test.cpp: strategies whose towers share one copy of the variables.
#include <doctest/doctest.h>

#include "rules.hpp"

using namespace broch::test;

namespace {

const char* const kParameterServers[] = {"sync-parameter-server", "sync-multi-gpu"};

}  // namespace

TEST_CASE("synchronous: the mean of the gradients of all towers is applied once a step") {
  for (const char* const use : kParameterServers) {
    CAPTURE(use);
    Strategy strategy(use);
    check_near(strategy.train({{1, 3}}, {"sgd", 0.1}), {0.8});
    check_near(strategy.train({{1, 3}, {1, 3}}, {"momentum", 0.1}), {0.8, 0.42});
    check_near(strategy.train({{1, 3, 5, 7}}, {"sgd", 0.1}), {0.6});
    check_near(strategy.train({{2}, {2}}, {"sgd", 0.1}), {0.8, 0.6});
  }
}

TEST_CASE("synchronous: drawn cases end where the plain rule ends") {
  const uint64_t seed = first_seed();
  for (uint64_t i = 0; i < 200; ++i) {
    CAPTURE(seed + i);
    Cases cases(seed + i);
    const Optimizer optimizer = cases.optimizer();
    const Gradients gradients = cases.gradients(cases.integer(1, 5));
    Descent plain(optimizer);
    std::vector<double> expected;
    for (const auto& step : gradients) {
      plain.apply(mean_of(step));
      expected.push_back(plain.w);
    }
    check_near(Strategy(kParameterServers[i % 2]).train(gradients, optimizer), expected);
  }
}
