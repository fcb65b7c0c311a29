// async_predict_test.cpp: questions of many threads to a model that is being trained.
#include <doctest/doctest.h>

#include <sstream>

#include "cli_harness/cli_harness.hpp"

namespace {

using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;
using Lines = std::vector<std::string>;

Json async_manifest(const std::string& trace, const Json& options) {
  const Json layers = {{{"layer", "fully_connected"}, {"units", 16}, {"activation", "relu"}},
                       {{"layer", "fully_connected"}, {"units", 3}}};
  const Json inputs = {{{"name", "x"}, {"shape", {-1, 4}}},
                       {{"name", "label"}, {"dtype", "int64"}, {"shape", {-1}}}};
  const Json components = {{{"name", "x"}, {"shape", {16, 4}}},
                           {{"name", "label"}, {"shape", {16}}, {"dtype", "int64"}, {"high", 3}}};
  Json with = {{"trace", trace}, {"shape", {4}}};
  with.update(options);
  return {{"broch", 1},
          {"seed", 3},
          {"plugins", {QUESTIONS}},
          {"model",
           {{"use", "sequential"},
            {"with", {{"inputs", inputs}, {"layers", layers}, {"loss", "cross_entropy"}}}}},
          {"dataflow", {{"use", "fake"}, {"with", {{"components", components}}}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
          {"callbacks", {{{"use", "test.questions"}, {"with", with}}}},
          {"steps_per_epoch", 50},
          {"max_epoch", 1}};
}

Lines asked(const Json& options) {
  const Folder folder;
  const std::string trace = folder.path() / "trace";
  const Training training(folder, "run", async_manifest(trace, options));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  CHECK_MESSAGE(training.talk().find("violated the interface") == std::string::npos,
                training.talk());
  Lines lines;
  std::istringstream text(broch::test::read_file(trace));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("async predict: 32 threads get the answers of one question at a time, then the end") {
  const Lines expected = {
      "newer limits -12",          "wrong 0", "wrong 0", "moved 1", "wrong 0", "closed 4",
      "put after close: cancelled"};
  CHECK(asked({{"batch_size", 32}}) == expected);
  CHECK(asked({{"batch_size", 5}, {"wait_ms", 1.0}, {"threads", 7}}) == expected);
  CHECK(asked({{"batch_size", 8}, {"predictors", 3}}) == expected);
}
