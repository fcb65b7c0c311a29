// evolution_test.cpp: the sample's trainer, which has no model, no data and no gradients.
#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"

using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

namespace {

Json manifest(bool hooked, int epochs) {
  return {{"broch", 1},
          {"seed", 3},
          {"plugins", {EVOLUTION}},
          {"trainer", {{"use", "evolution.trainer"}, {"with", {{"hooked", hooked}}}}},
          {"callbacks", {"model-saver"}},
          {"monitors", {"json-writer"}},
          {"steps_per_epoch", 5},
          {"max_epoch", epochs}};
}

}  // namespace

TEST_CASE("evolution: a pole is balanced, and training ends then") {
  const Folder folder;
  Json enough = manifest(true, 60);
  enough["trainer"]["with"]["enough"] = 500;
  const Training training(folder, "run", enough);
  REQUIRE(training.run() == 0);
  CHECK(training.stats().size() < 60);
  CHECK(training.stats().back().at("score") == 500);
  CHECK(training.stats().front().at("score") < 200);
  CHECK(training.talk().find("the pole stays up") != std::string::npos);
}

TEST_CASE("evolution: it resumes with the same bits, with hooked runs and without any") {
  for (const bool hooked : {true, false}) {
    CAPTURE(hooked);
    const Folder folder;
    const Training training(folder, "run", manifest(hooked, 2));
    REQUIRE(training.run() == 0);
    REQUIRE(training.run({"--resume", "max_epoch=4"}) == 0);
    const Training straight(folder, "straight", manifest(hooked, 4));
    REQUIRE(straight.run() == 0);
    const auto found = training.checkpoint(hooked ? 20 : 0);
    CHECK(found == straight.checkpoint(hooked ? 20 : 0));
    CHECK(found.at("generation") == std::vector<double>{20});
    CHECK(found.at("policy").size() == 49);
    CHECK(training.stats().size() == 4);
  }
}
