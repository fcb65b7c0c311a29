// cpp_layer_test.cpp: the classes of the C++ layer that built-in plugins do not use, or do not use
// in all ways.
#include <doctest/doctest.h>

#include <sstream>

#include "cli_harness/cli_harness.hpp"

namespace {

using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;
using broch::cli_harness::Values;
using Lines = std::vector<std::string>;

Json layer_manifest(const std::string& execution, const Json& model = Json::object()) {
  const Json rows = {{"use", "test.rows"},
                     {"with", {{"rows", {{1, 3}, {2, 6}, {3, 9}, {4, 12}, {5, 15}, {6, 18}}}}}};
  return {{"broch", 1},
          {"plugins", {COMPUTING, ASKING, MODELS}},
          {"model", {{"use", "test.computing"}, {"with", model}}},
          {"trainer", "simple"},
          {"data", {{"use", "queue"}, {"with", {{"dataflow", rows}}}}},
          {"runtime", {{"execution", execution}}},
          {"steps_per_epoch", 2},
          {"max_epoch", 1}};
}

}  // namespace

TEST_CASE("cpp layer: kernels, custom functions and gradients inside a tower function") {
  for (const char* execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    const Folder folder;
    Json one_step = layer_manifest(execution);
    one_step["steps_per_epoch"] = 1;
    one_step["callbacks"] = {"model-saver"};
    const Training training(folder, "run", one_step);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    const Values after = training.checkpoint(1);
    CHECK(after.at("w") == std::vector<double>{0});
    CHECK(after.at("u") == std::vector<double>{4.5});
    CHECK(after.at("v") == std::vector<double>{-9, -3});
  }
}

TEST_CASE("cpp layer: an exception in a kernel, and too few gradients, end the run with a reason") {
  for (const auto& [option, reason] :
       {std::pair{"fails", "the kernel is worn out"},
        std::pair{"forgets", "halved returned 0 tensors, expected 1"}}) {
    CAPTURE(option);
    const Folder folder;
    const Training training(folder, "run", layer_manifest("eager", {{option, true}}));
    CHECK(training.run() == 1);
    CHECK_MESSAGE(training.talk().find(reason) != std::string::npos, training.talk());
  }
}

TEST_CASE("cpp layer: what a callback can ask for") {
  for (const char* execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    const Folder folder;
    const std::string trace = folder.path() / "trace";
    Json asked = layer_manifest(execution);
    asked["callbacks"] = {{{"use", "test.asking"},
                           {"name", "asker"},
                           {"with", {{"trace", trace}, {"inner", "run-update-ops"}}}}};
    asked["monitors"] = {{{"use", "test.hearing"}, {"with", {{"trace", trace}}}}};
    const Training training(folder, "run", asked);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    Lines lines;
    std::istringstream text(broch::test::read_file(trace));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    const Lines expected = {"name asker",
                            "seeded 1",
                            "child broch.callback.run-update-ops",
                            "input x",
                            "cost cost",
                            "pace 0.25",
                            "predicted mean 3",
                            "predicted w 3",
                            "point 3 4",
                            "shared 3 4",
                            "back 3 4",
                            "dtype: found elements of float32, expected floa",
                            "gaps: found a tensor with gaps, expected compa",
                            "input: the predictor needs an input 'x'",
                            "shape: 1 values for a shape of 2",
                            "picture: broch.metrics/1 put_summary: 'part' has",
                            "sound: broch.metrics/1 put_summary: 'part' is f",
                            "image: broch.metrics/1 put_image: DLPack tensor",
                            "event: broch.metrics/1 put_event: name ''",
                            "scope: ",
                            "own 8 10",
                            "mean 2",
                            "slope 27",
                            "rectified 7",
                            "count 2",
                            "nothing 5",
                            "twice 2 8",
                            "mean 100",
                            "slope 0",
                            "rectified 7",
                            "count 2",
                            "nothing 4.5",
                            "twice 162 18",
                            "history 2:0.5 2:0.25, 0",
                            "event what is \"new\"?",
                            "summary part 7",
                            "eval 6",
                            "kept 3 3",
                            "moved 2 0"};
    REQUIRE(lines.size() == expected.size());
    for (size_t i = 0; i < lines.size(); ++i)
      CHECK(lines[i].substr(0, expected[i].size()) == expected[i]);
  }
}
