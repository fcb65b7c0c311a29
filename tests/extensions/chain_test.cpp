// chain_test.cpp: Q-learning with a memory that is the dataflow and a callback at once, a target
// network, and an exploration that a setter changes.
#include <doctest/doctest.h>

#include <cmath>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

namespace {

constexpr int kPlaces = 5;

Json chain_manifest() {
  const Json exploration = {{"use", "scheduled-hyper-param-setter"},
                            {"with",
                             {{"param", "feed/memory/exploration"},
                              {"schedule", {{0, 1}, {4, 0.2}}},
                              {"interp", "linear"}}}};
  const Json target = {{"use", "run-op"},
                       {"when", {{"every_k_steps", 20}}},
                       {"with", {{"assign", {{{"variables", "target/W"}, {"from", "online/W"}}}}}}};
  return {{"broch", 1},
          {"plugins", {CHAIN}},
          {"model", "test.values"},
          {"dataflow", {{"name", "memory"}, {"use", "test.memory"}, {"with", {{"capacity", 400}}}}},
          {"callbacks", {{{"ref", "memory"}}, exploration, target, "model-saver"}},
          {"steps_per_epoch", 200},
          {"max_epoch", 5}};
}

// What a move is worth to somebody who goes right ever after: 0.9 for each move before the reward.
std::vector<double> worth() {
  std::vector<double> values;
  for (int place = 0; place < kPlaces; ++place)
    for (const int behind : {std::max(place - 1, 0), place + 1})
      values.push_back(std::pow(0.9, kPlaces - behind));
  return values;
}

}  // namespace

TEST_CASE("chain: a memory that is a dataflow and a callback learns what moves are worth") {
  const Folder folder;
  const Training whole(folder, "whole", chain_manifest());
  const int code = whole.run();
  INFO(whole.talk());
  REQUIRE(code == 0);
  const Values learnt = whole.checkpoint(1000);
  const std::vector<double> expected = worth();
  REQUIRE(learnt.at("online/W").size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(learnt.at("online/W")[i] == doctest::Approx(expected[i]).epsilon(0.05));
  }
  CHECK(whole.text("log.log").find("feed/memory/exploration changes from 0.4 to 0.2") !=
        std::string::npos);

  // Interrupted and resumed, it plays the same games.
  const Training parts(folder, "parts", chain_manifest());
  REQUIRE(parts.run({"max_epoch=2"}) == 0);
  REQUIRE(parts.run({"--resume"}) == 0);
  CHECK(parts.checkpoint(1000) == learnt);
}
