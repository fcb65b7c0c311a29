// both_test.cpp: one class that is a trainer and a callback gets each event once.
#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

TEST_CASE("a class that is a trainer and a callback gets each event once") {
  const Folder folder;
  const Json point = {{{"shape", {4, 64}}, {"name", "x"}},
                      {{"shape", {4}}, {"dtype", "int64"}, {"high", 10}, {"name", "label"}}};
  const Json manifest = {{"broch", 1},
                         {"plugins", {NETWORKS, BOTH}},
                         {"model", {{"use", "recorded.mlp"}}},
                         {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
                         {"dataflow", {{"use", "fake"}, {"with", {{"components", point}}}}},
                         {"trainer", {{"use", "test.both"}}},
                         {"monitors", {"json-writer"}},
                         {"steps_per_epoch", 3},
                         {"max_epoch", 2}};
  const Training training(folder, "run", manifest);
  const int code = training.run();
  INFO(training.talk());
  REQUIRE(code == 0);
  const Json stats = training.stats();
  REQUIRE(stats.size() == 2);
  for (const int epoch : {1, 2}) {
    CAPTURE(epoch);
    const Json& now = stats[epoch - 1];
    CHECK(now["setups"] == 1);
    CHECK(now["trainings"] == 1);
    CHECK(now["begun"] == epoch);
    CHECK(now["steps"] == 3 * epoch);
    CHECK(now["triggered"] == 3 * epoch);
    CHECK(now["ended"] == epoch);
    CHECK(now["triggered_epochs"] == epoch);
    CHECK(now["fetched"] == 3 * epoch - 1);
  }
}
