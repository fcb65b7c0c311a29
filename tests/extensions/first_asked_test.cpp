// first_asked_test.cpp: predictors that other threads ask for the first time while each step of the
// training changes the weights.
#include <doctest/doctest.h>

#include <sstream>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

namespace {

// A step of the training is much shorter than the comparison of a program, since a question has
// many more rows than a data point.
Json first_asked_manifest(const Json& options) {
  constexpr int kWidth = 256;
  const Json layers = {{{"layer", "fully_connected"}, {"units", kWidth}, {"activation", "relu"}},
                       {{"layer", "fully_connected"}, {"units", kWidth}, {"activation", "relu"}},
                       {{"layer", "fully_connected"}, {"units", 3}}};
  const Json inputs = {{{"name", "x"}, {"shape", {-1, kWidth}}},
                       {{"name", "label"}, {"dtype", "int64"}, {"shape", {-1}}}};
  const Json components = {{{"name", "x"}, {"shape", {2, kWidth}}},
                           {{"name", "label"}, {"shape", {2}}, {"dtype", "int64"}, {"high", 3}}};
  Json with = {{"shape", {kWidth}}};
  with.update(options);
  return {{"broch", 1},
          {"seed", 3},
          {"plugins", {FIRST_ASKED}},
          {"model",
           {{"use", "sequential"},
            {"with", {{"inputs", inputs}, {"layers", layers}, {"loss", "cross_entropy"}}}}},
          {"dataflow", {{"use", "fake"}, {"with", {{"components", components}}}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.05}}}}},
          {"callbacks", {{{"use", "test.first-asked"}, {"with", with}}}},
          {"steps_per_epoch", 1000000},
          {"max_epoch", 1}};
}

// The log, once all have got their answers.
std::string log_of(Json manifest, const std::vector<std::string>& arguments = {}) {
  const Folder folder;
  const Training training(folder, "run", std::move(manifest));
  const int code = training.run(arguments);
  INFO(training.talk());
  REQUIRE(code == 0);
  return training.text("log.log");
}

// How many predictors have a program that is used.
size_t trusted(const std::string& log) {
  size_t found = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    found += count(line, "tower 'tower-pred-0' of ") * count(line, ": recorded, ");
  return found;
}

}  // namespace

TEST_CASE("first asked: the program of a predictor is trusted although the weights change") {
  const std::string log = log_of(first_asked_manifest(Json::object()));
  CHECK(count(log, "stays eager") == 0);
  CHECK(count(log, "enough answers") > 0);
  CHECK(trusted(log) == 1);
}

TEST_CASE("first asked: the program of a predictor may depend on the step of the training") {
  Json counting = first_asked_manifest(Json::object());
  counting["model"] = "test.counting";
  counting["dataflow"]["with"]["components"].erase(size_t{1});
  const std::string log = log_of(counting);
  CHECK(count(log, "stays eager") == 0);
  CHECK(trusted(log) == 1);
}

TEST_CASE("first asked: training threads may wait for predictors") {
  Json waiting =
      first_asked_manifest({{"threads", 3}, {"waits", true}, {"rows", 16}, {"answers", 80}});
  SUBCASE("one tower") {}
  SUBCASE("two towers") {
    waiting["trainer"] = {{"use", "sync-parameter-server"},
                          {"with", {{"devices", {"cpu:0", "cpu:1"}}}}};
  }
  SUBCASE("towers that change the weights in turn") {
    waiting["trainer"] = {{"use", "async"}, {"with", {{"devices", {"cpu:0", "cpu:1"}}}}};
  }
  const std::string log = log_of(waiting);
  CHECK(count(log, "stays eager") == 0);
  CHECK(trusted(log) == 3);
}

TEST_CASE("first asked: a rank may wait for its predictors") {
  Json waiting =
      first_asked_manifest({{"threads", 2}, {"waits", true}, {"rows", 16}, {"answers", 80}});
  waiting["trainer"] = "allreduce";
  const std::string log = log_of(waiting, {"--ranks", "2"});
  CHECK(count(log, "stays eager") == 0);
  CHECK(trusted(log) == 2);
}
