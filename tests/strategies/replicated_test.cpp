// replicated_test.cpp: strategies whose towers have variables of their own.
#include <doctest/doctest.h>

#include "rules.hpp"

using namespace broch::test;

TEST_CASE("replicated: every replica gets the mean, or the sum, of all gradients") {
  for (const bool average : {true, false}) {
    Strategy strategy("sync-replicated");
    strategy.with["average"] = average;
    strategy.fetches = {"w", "tower1/w"};
    check_near(strategy.train({{1, 3}, {1, 3}}, {"momentum", 0.1}),
               average ? std::vector{0.8, 0.42} : std::vector{0.6, -0.16});
    CHECK(strategy.values("tower1/w") == strategy.values("w"));
  }
}

TEST_CASE("replicated: mode hierarchical adds two groups of four, where there are eight devices") {
  Strategy strategy("sync-replicated");
  strategy.with["mode"] = "hierarchical";
  // In float32 1 vanishes beside 1e8; added in the order of the towers, 3 would be left.
  const std::vector<double> gradients{1e8, 1, 1, 1, -1e8, 1, 1, 1};
  check_near(strategy.train({gradients}, {"sgd", 0.1}), {1});
  strategy.with["mode"] = nullptr;
  check_near(strategy.train({gradients}, {"sgd", 0.1}), {1});
  strategy.with["mode"] = "hierarchical";
  const std::vector<double> others{1, 2, 3, 4, 5, 6, 7, 8};
  check_near(strategy.train({others}, {"sgd", 0.1}), {1 - 0.45});
  check_near(strategy.train({{1, 3}}, {"sgd", 0.1}), {0.8});
  CHECK(strategy.project.logged("there are 2 devices instead of 8: mode nccl is used"));
}

TEST_CASE("replicated: drawn cases end where the plain rule ends, in every replica") {
  const uint64_t seed = first_seed();
  for (uint64_t i = 0; i < 200; ++i) {
    CAPTURE(seed + i);
    Cases cases(seed + i);
    const Optimizer optimizer = cases.optimizer();
    const Gradients gradients = cases.gradients(cases.integer(2, 5));
    Strategy strategy("sync-replicated");
    const bool average = cases.integer(0, 1) == 1;
    strategy.with["average"] = average;
    strategy.fetches = {"w", "tower1/w"};
    Descent plain(optimizer);
    std::vector<double> expected;
    for (const auto& step : gradients) {
      plain.apply(average ? mean_of(step) : sum_of(step));
      expected.push_back(plain.w);
    }
    check_near(strategy.train(gradients, optimizer), expected);
    CHECK(strategy.values("tower1/w") == strategy.values("w"));
  }
}

TEST_CASE("replicated: a replica that went astray is brought back at the end of the epoch") {
  Strategy strategy("sync-replicated");
  strategy.fetches = {"w", "tower1/w"};
  strategy.epochs = 4;
  strategy.callbacks.push_back({{"use", "scheduled-hyper-param-setter"},
                                {"with", {{"param", "tower1/w"}, {"schedule", {{2, 9}}}}}});
  strategy.train({{1, 3}}, {"sgd", 0.1});
  const std::vector<double> main = strategy.values("w"), other = strategy.values("tower1/w");
  REQUIRE(other.size() == 4);
  CHECK(other[1] == main[1]);
  CHECK(other[2] == doctest::Approx(9 - 0.2));  // set at the end of epoch 2
  CHECK(other[3] == main[3]);
}

TEST_CASE("replicated: without broadcast_every_epoch a replica stays as it is") {
  Strategy strategy("sync-replicated");
  strategy.with["broadcast_every_epoch"] = false;
  strategy.fetches = {"w", "tower1/w"};
  strategy.epochs = 4;
  strategy.callbacks.push_back({{"use", "scheduled-hyper-param-setter"},
                                {"with", {{"param", "tower1/w"}, {"schedule", {{2, 9}}}}}});
  check_near(strategy.train({{1, 3}}, {"sgd", 0.1}), {0.8, 0.6, 0.4, 0.2});
  check_near(strategy.values("tower1/w"), {0.8, 0.6, 9 - 0.2, 9 - 0.4});
  strategy.with["check_divergence"] = true;
  strategy.train({{1, 3}}, {"sgd", 0.1});
  CHECK(strategy.project.failure.find("/check_divergence: ") != std::string::npos);
}

TEST_CASE("replicated: with check_divergence a replica that went astray ends the training") {
  Strategy strategy("sync-replicated");
  strategy.with["check_divergence"] = true;
  strategy.epochs = 4;
  check_near(strategy.train({{1, 3}}, {"sgd", 0.1}), {0.8, 0.6, 0.4, 0.2});
  CHECK(strategy.project.failure == "");
  strategy.callbacks.push_back({{"use", "scheduled-hyper-param-setter"},
                                {"with", {{"param", "tower1/w"}, {"schedule", {{2, 9}}}}}});
  strategy.train({{1, 3}}, {"sgd", 0.1});
  CHECK(strategy.project.failure.find("variable 'tower1/w' differs from 'w'") != std::string::npos);
}

// Running statistics are such variables: only those of the first tower follow each step.
TEST_CASE("replicated: a resumed run goes on with each replica as it was") {
  Strategy strategy("sync-replicated");
  strategy.fetches = {"w", "tower1/w"};
  strategy.callbacks = {{{"use", "scheduled-hyper-param-setter"},
                         {"with", {{"param", "tower1/w"}, {"schedule", {{1, 9}}}}}},
                        "model-saver"};
  strategy.train({{1, 3}}, {"sgd", 0.1});
  strategy.resume = true;
  strategy.epochs = 3;
  strategy.train({{1, 3}}, {"sgd", 0.1});
  INFO(strategy.project.failure);
  check_near(strategy.values("w"), {0.8 - 0.2, 0.6 - 0.2});
  check_near(strategy.values("tower1/w"), {9 - 0.2, 0.6 - 0.2});
}

TEST_CASE("replicated: a setter of a variable sets it in every replica") {
  Strategy strategy("sync-replicated");
  strategy.fetches = {"w", "tower1/w"};
  strategy.epochs = 2;
  strategy.callbacks.push_back({{"use", "scheduled-hyper-param-setter"},
                                {"with", {{"param", "w"}, {"schedule", {{0, 5}, {1, 9}}}}}});
  check_near(strategy.train({{1, 3}}, {"sgd", 0.1}), {5 - 0.2, 9 - 0.2});
  CHECK(strategy.values("tower1/w") == strategy.values("w"));
}

TEST_CASE("replicated: on the device of a tower, a predictor reads the replica of that tower") {
  // The costs of inference with these devices, while w of the second tower is 9.
  const auto costs = [](const Json& devices, const Json& towers, const std::vector<int>& numbers) {
    Strategy strategy("sync-replicated");
    strategy.predict_devices = devices;
    strategy.predict_tower = towers;
    strategy.monitors.push_back(Json::parse(strategy.project.listener()));
    strategy.callbacks.push_back({{"use", "scheduled-hyper-param-setter"},
                                  {"with", {{"param", "tower1/w"}, {"schedule", {{0, 9}}}}}});
    for (const int device : numbers)
      strategy.callbacks.push_back(
          {{"use", "inference-runner"},
           {"when", {{"before_train", true}}},
           {"with",
            {{"device", device},
             {"tower_name", "of" + std::to_string(device)},
             {"prefix", "of" + std::to_string(device)},
             {"dataflow", {{"use", "test.rows"}, {"with", {{"rows", {{2}}}}}}},
             {"inferencers", {{{"use", "scalar-stats"}, {"with", {{"names", "cost"}}}}}}}}});
    strategy.train({{1, 3}}, {"sgd", 0.1});
    CHECK(strategy.project.failure == "");
    Lines seen;
    for (const int device : numbers)
      for (const std::string& cost :
           strategy.project.trace("M.scalar of" + std::to_string(device) + "_validation_cost "))
        seen.push_back(cost);
    return seen;
  };
  CHECK(costs(Json::array({"cpu:0", "cpu:1"}), nullptr, {0, 1}) == Lines{"2", "18"});
  CHECK(costs(Json::array({"cpu:1"}), nullptr, {0}) == Lines{"18"});
  CHECK(costs(nullptr, nullptr, {0, 1}) == Lines{"2", "2"});
  CHECK(costs(nullptr, Json::array({-1, -1}), {0, 1}) == Lines{"2", "2"});
}

TEST_CASE("towers: each of them has a data point of a shape of its own") {
  const Json rows = {{1}, {3, 5}, {2, 4, 6}, {8}};
  for (const char* execution : {"auto", "eager"})
    for (const char* use : {"sync-replicated", "sync-parameter-server", "async"}) {
      CAPTURE(execution);
      CAPTURE(use);
      Strategy strategy(use);
      strategy.execution = execution;
      strategy.epochs = 6;  // both shapes of each tower are recorded and replayed
      REQUIRE(strategy.train_rows(rows, 2, 2, {"sgd", 0.01}));
      Descent plain({"sgd", 0.01});
      std::vector<double> expected;
      for (int epoch = 0; epoch < 6; ++epoch)
        for (const double mean : {(1 + 4) / 2.0, (4 + 8) / 2.0}) {
          plain.apply(mean);
          expected.push_back(plain.w);
        }
      check_near(strategy.values("w"), expected);
    }
}

TEST_CASE("async: every tower makes an update of its own, in order of the towers") {
  const Gradients gradients{{1, 3}, {1, 3}};
  check_near(Strategy("async").train({{1, 3}}, {"sgd", 0.1}), {0.8});
  Strategy unscaled("async");
  unscaled.with["scale_gradient"] = false;
  check_near(unscaled.train({{1, 3}}, {"sgd", 0.1}), {0.6});
  Descent plain({"momentum", 0.1});
  std::vector<double> expected;
  for (const auto& step : gradients) {
    for (const double gradient : step) plain.apply(gradient / 2);
    expected.push_back(plain.w);
  }
  check_near(Strategy("async").train(gradients, {"momentum", 0.1}), expected);
}

TEST_CASE("async: drawn cases end where the plain rule ends") {
  const uint64_t seed = first_seed();
  for (uint64_t i = 0; i < 200; ++i) {
    CAPTURE(seed + i);
    Cases cases(seed + i);
    const Optimizer optimizer = cases.optimizer();
    const Gradients gradients = cases.gradients(cases.integer(1, 5));
    Strategy strategy("async");
    const bool scale = cases.integer(0, 1) == 1;
    strategy.with["scale_gradient"] = scale;
    Descent plain(optimizer);
    std::vector<double> expected;
    for (const auto& step : gradients) {
      const double factor = scale ? 1 / static_cast<double>(step.size()) : 1;
      for (const double gradient : step) plain.apply(gradient * factor);
      expected.push_back(plain.w);
    }
    check_near(strategy.train(gradients, optimizer), expected);
  }
}

TEST_CASE("towers: a training is not resumed with another number of them") {
  for (const char* use : {"sync-parameter-server", "sync-replicated"}) {
    CAPTURE(use);
    Strategy strategy(use);
    strategy.callbacks.push_back("model-saver");
    strategy.train({{1, 3}}, {"sgd", 0.1});
    strategy.resume = true;
    strategy.epochs = 2;
    check_near(strategy.train({{1, 3}}, {"sgd", 0.1}), {0.6});
    strategy.train({{1, 3, 5}}, {"sgd", 0.1});
    INFO(strategy.project.failure);
    CHECK(strategy.project.failure.find("made by a run with 2 towers, expected as many as this "
                                        "run has, 3") != std::string::npos);
  }
}
