// halving_test.cpp: which trials end early.
#include "halving.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "sweeping.hpp"

using namespace broch::sweep_test;

namespace {

using broch::sweep::Decision;
using broch::sweep::Trial;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

broch::sweep::Spec spec_with(double keep) {
  broch::sweep::Spec spec;
  spec.halving = broch::sweep::Halving{{}, 1, keep};
  return spec;
}

// A trial with these values after epochs 1, 2, …
Trial trial(const std::vector<double>& values, std::optional<int> exit = {}) {
  Trial trial;
  for (const double value : values) trial.values[++trial.epochs] = value;
  trial.exit = exit;
  return trial;
}

// "g" for each trial that goes on, "w1" for one that waits at epoch 1, "p1" for one pruned there.
std::string decided(const std::vector<Trial>& trials, const std::vector<int64_t>& rungs,
                    double keep = 0.5) {
  std::string text;
  for (const Decision& one : broch::sweep::decide(trials, rungs, spec_with(keep)))
    text += (text.empty() ? "" : " ") +
            (one.what == Decision::What::go
                 ? "g"
                 : (one.what == Decision::What::wait ? "w" : "p") + std::to_string(one.rung));
  return text;
}

}  // namespace

TEST_CASE("halving: trials wait until the last one is at the rung; then the best part goes on") {
  CHECK(decided({trial({4}), trial({3}), trial({2}), trial({})}, {1, 2}) == "w1 w1 w1 g");
  CHECK(decided({trial({4}), trial({3}), trial({2}), trial({1})}, {1, 2}) == "p1 p1 g g");
  CHECK(decided({trial({4}), trial({3}), trial({2, 5}), trial({1})}, {1, 2}) == "p1 p1 w2 g");
  CHECK(decided({trial({4}), trial({3}), trial({2, 5}), trial({1, 6})}, {1, 2}) == "p1 p1 g p2");
}

TEST_CASE("halving: what comes after the rung does not count") {
  CHECK(decided({trial({4, 0, 0}, 0), trial({3, 9})}, {1}) == "p1 g");
}

TEST_CASE("halving: an epoch in which something is recorded has not ended yet") {
  const Folder folder;
  broch::sweep::Spec spec = spec_with(0.5);
  spec.folder = folder.path().string();
  spec.metric = "score";
  const auto read = [&](int64_t number, const std::string& records) {
    folder.write("trial-000" + std::to_string(number) + "/stats.json", "[" + records + "]");
    Trial trial;
    trial.number = number;
    broch::sweep::read_progress(trial, spec);
    return trial;
  };
  const std::string within = R"({"cost": 1, "epoch_num": 1, "global_step": 2})",
                    later = R"({"cost": 1, "epoch_num": 2, "global_step": 7})",
                    four = R"({"score": 4, "epoch_num": 1, "global_step": 5})",
                    three = R"({"score": 3, "epoch_num": 1, "global_step": 5})";
  CHECK(decided({read(1, within), read(2, within)}, {1}) == "g g");
  CHECK(decided({read(1, within + "," + four), read(2, within)}, {1}) == "w1 g");
  CHECK(decided({read(1, within + "," + four), read(2, within + "," + three)}, {1}) == "p1 g");
  CHECK(decided({read(1, within + "," + later), read(2, three + "," + later)}, {1}) == "p1 g");
}

TEST_CASE("halving: of equal values the first; NaN is the worst; at least one goes on") {
  CHECK(decided({trial({2}), trial({2}), trial({2})}, {1}) == "g p1 p1");
  CHECK(decided({trial({kNan}), trial({9}), trial({kNan})}, {1}, 0.1) == "p1 g p1");
  CHECK(decided({trial({kNan}), trial({kNan})}, {1}) == "g p1");
}

TEST_CASE("halving: the number that goes on is rounded down, but not by rounding errors") {
  std::vector<Trial> thirty;
  for (int i = 0; i < 30; ++i) thirty.push_back(trial({double(i)}));
  const std::string text = decided(thirty, {1}, 0.1);
  CHECK(text.substr(0, 9) == "g g g p1 ");
}

TEST_CASE("halving: failed trials count where they have been; one that ended early by its value") {
  CHECK(decided({trial({}, 1), trial({3}), trial({2})}, {1}) == "g p1 g");
  CHECK(decided({trial({1}, 1), trial({3}), trial({2})}, {1}) == "g p1 p1");
  CHECK(decided({trial({1}, 0), trial({3, 3}), trial({2, 2})}, {2}) == "g p2 p2");
}

TEST_CASE("halving: rungs lie before the last epoch") {
  broch::sweep::Spec spec = spec_with(0.5);
  spec.halving->every_epochs = 3;
  CHECK(broch::sweep::rungs_of(spec, 10) == std::vector<int64_t>{3, 6, 9});
  CHECK(broch::sweep::rungs_of(spec, 9) == std::vector<int64_t>{3, 6});
  spec.halving = broch::sweep::Halving{{1, 4, 9}, 0, 0.5};
  CHECK(broch::sweep::rungs_of(spec, 9) == std::vector<int64_t>{1, 4});
  spec.halving.reset();
  CHECK(broch::sweep::rungs_of(spec, 9).empty());
}

TEST_CASE("sweep: halving ends bad trials early, with the same results however many run at once") {
  for (const int parallel : {1, 4}) {
    CAPTURE(parallel);
    Sweeping sweep(0.06);
    Json members = {{"parameters", {{"vars.x", {{"values", {1, 2, 3, 5}}}}}},
                    {"parallel", parallel},
                    {"halving", {{"rungs", {1, 2}}}}};
    sweep.write(members);
    const Outcome outcome = sweep.run();
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const Json json = sweep.json();
    const auto result = [](const Json& trial) {
      return trial["state"].get<std::string>() + " " + trial["value"].dump() + " " +
             trial["epochs"].dump();
    };
    CHECK(result(trial_of(json, 1)) == "pruned 5.0 1");
    CHECK(result(trial_of(json, 5)) == "pruned 5.0 1");
    CHECK(result(trial_of(json, 2)) == "pruned 1.5 2");
    CHECK(result(trial_of(json, 3)) == "finished 0.25 4");
    CHECK(sweep.steps("3") == kSteps * kEpochs);
    CHECK(sweep.steps("1") < kSteps * kEpochs);
    if (parallel > 1) continue;
    // With four more, all of them worse, the first ones are among the better part: they go on.
    members["parameters"]["vars.x"]["values"] = {1, 2, 3, 5, 9, 10, 11, 12};
    sweep.write(members);
    const Json more = sweep.json();
    CHECK(result(trial_of(more, 1)) == "pruned 4.5 2");
    CHECK(result(trial_of(more, 2)) == "finished 1.25 4");
    CHECK(result(trial_of(more, 9)) == "pruned 37.0 1");
    CHECK(sweep.steps("2") == kSteps * kEpochs);
  }
}
