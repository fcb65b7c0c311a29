// collections_test.cpp: broch.collections/1: what towers have collected, by name and by value.
#include <doctest/doctest.h>

#include <sstream>

#include "cli_harness/cli_harness.hpp"

namespace {

using broch::cli_harness::count;
using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;
using Lines = std::vector<std::string>;

struct Read {
  int exit_code = 0;
  Lines trace;
  std::string talk;
};

// What the callback with these options finds in three steps of one or two towers.
Read read(Json options, int towers, const std::string& execution = "auto") {
  const Folder folder;
  const std::string trace = folder.path() / "trace";
  options["trace"] = trace;
  const Json rows{{"use", "test.rows"},
                  {"with", {{"rows", {{1, 3}, {2, 6}, {3, 9}, {4, 12}, {5, 15}, {6, 18}}}}}};
  const Json manifest{
      {"broch", 1},
      {"plugins", {COLLECTED, MODELS}},
      {"model", {{"use", "test.collecting"}}},
      {"trainer",
       towers == 1 ? Json("simple")
                   : Json{{"use", "sync-replicated"}, {"with", {{"devices", {"cpu:0", "cpu:1"}}}}}},
      {"dataflow", rows},
      {"callbacks", {{{"use", "test.reader"}, {"with", options}}, "run-update-ops"}},
      {"runtime", {{"execution", execution}}},
      {"steps_per_epoch", 3},
      {"max_epoch", 1}};
  const Training training(folder, "run", manifest);
  Read found{training.run(), {}, training.talk()};
  std::istringstream lines(broch::test::read_file(trace));
  for (std::string line; std::getline(lines, line);) found.trace.push_back(line);
  return found;
}

const Lines kMain = {"0 published: 'x' 'mean' 'decay' 'twice' 'cost'",
                     "0 HIDDEN: 'mean' '' 'x'",
                     "0 UPDATE_OPS: '' 'twice'",
                     "0 REGULARIZATION_LOSSES: 'decay'",
                     "0 SUMMARIES: 'mean' ''",
                     "0 MOVING_SUMMARY_OPS: 'decay'",
                     "0 COST: 'cost'",
                     "0 none 0"};

}  // namespace

TEST_CASE("collections: names and members in order, of the towers that keep them") {
  for (const char* execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    const Read one = read(Json::object(), 1, execution);
    INFO(one.talk);
    REQUIRE(one.exit_code == 0);
    CHECK(one.trace == kMain);
  }
  const Read two = read({{"towers", {0, 1}}}, 2);
  INFO(two.talk);
  REQUIRE(two.exit_code == 0);
  Lines expected = kMain;
  for (const char* line : {"1 published: 'x' 'mean' 'decay' 'twice' 'cost'",
                           "1 HIDDEN: 'mean' '' 'x'", "1 UPDATE_OPS: '' 'twice'",
                           "1 REGULARIZATION_LOSSES: 'decay'", "1 COST: 'cost'", "1 none 0"})
    expected.emplace_back(line);
  CHECK(two.trace == expected);
}

TEST_CASE("collections: a prediction tower keeps neither updates nor summaries") {
  const Read found = read({{"towers", Json::array()}, {"predicts", true}}, 1);
  INFO(found.talk);
  REQUIRE(found.exit_code == 0);
  CHECK(found.trace == Lines{"predictor published: 'x' 'mean' 'decay' 'twice' 'cost'",
                             "predictor HIDDEN", "predictor REGULARIZATION_LOSSES",
                             "predictor COST"});
}

TEST_CASE("collections: a member is fetched along with each step") {
  for (const char* execution : {"eager", "recorded"})
    for (const int tower : {0, 1}) {
      CAPTURE(execution);
      CAPTURE(tower);
      const Read found = read(
          {{"towers", Json::array()}, {"fetch", "UPDATE_OPS"}, {"member", 1}, {"tower", tower}}, 2,
          execution);
      INFO(found.talk);
      REQUIRE(found.exit_code == 0);
      CHECK(found.trace ==
            (tower == 0 ? Lines{"value 4", "mean 2", "value 12", "mean 6", "value 20", "mean 10"}
                        : Lines{"value 8", "mean 2", "value 16", "mean 6", "value 24", "mean 10"}));
    }
}

TEST_CASE("collections: what cannot be had is refused with what to do") {
  struct Case {
    Json options;
    const char* diagnostic;
  };
  const Json nothing = Json::array();
  for (const Case& one :
       {Case{{{"towers", {1}}}, "no training tower 1; there are: training tower 0 ''"},
        Case{{{"towers", nothing}, {"fetch", "HIDDEN"}, {"member", 1}},
             "is a tensor without a name, expected a tensor that was published"},
        Case{{{"towers", nothing}, {"fetch", "UPDATE_OPS"}},
             "member 0 of 'UPDATE_OPS' in tower of model"},
        Case{{{"towers", nothing}, {"fetch", "UPDATE_OPS"}}, "is the update of variable 'seen'"},
        Case{{{"towers", nothing}, {"fetch", "HIDDEN"}, {"member", 3}},
             "expected a number below 3"},
        Case{{{"towers", nothing}, {"fetch", "NOBODYS"}}, "expected a number below 0"},
        Case{{{"towers", nothing}, {"fetch", "HIDDEN"}, {"tower", 7}}, "no training tower 7"},
        Case{{{"towers", nothing}, {"late", true}},
             "broch.collections/1 fetch belongs into setup_graph of a callback"}}) {
    CAPTURE(one.diagnostic);
    const Read found = read(one.options, 1);
    INFO(found.talk);
    CHECK(found.exit_code == 1);
    CHECK(count(found.talk, one.diagnostic) > 0);
  }
}
