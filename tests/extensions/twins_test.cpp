// twins_test.cpp: whether a predictor on another thread sees a part of an update.
#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

TEST_CASE("twins: with the consistency of steps, no answer is of two states") {
  Json manifest = {{"broch", 1},
                   {"plugins", {TWINS}},
                   {"model", "test.twins"},
                   {"dataflow", {{"use", "fake"}, {"with", {{"components", {{{"shape", {1}}}}}}}}},
                   {"callbacks", {"test.asking-twins"}},
                   {"runtime", {{"consistency", "step"}}},
                   {"steps_per_epoch", 1000000},
                   {"max_epoch", 1}};
  SUBCASE("one tower") {}
  SUBCASE("towers that change the variables in turn") {
    manifest["trainer"] = {{"use", "async"}, {"with", {{"devices", {"cpu:0", "cpu:1"}}}}};
  }
  SUBCASE("eager") { manifest["runtime"]["execution"] = "eager"; }
  const Folder folder;
  const Training training(folder, "run", manifest);
  const int code = training.run();
  INFO(training.talk());
  REQUIRE(code == 0);
  const std::string log = training.text("log.log");
  CHECK(count(log, "enough answers") == 1);
  CHECK(count(log, "torn answers: 0\n") == 1);
}
