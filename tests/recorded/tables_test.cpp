// tables_test.cpp: trainings of large tables, whose gradients come as rows where they may.
#include <doctest/doctest.h>

#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;

namespace {

Json table_manifest(const std::string& optimizer, const Json& numbers) {
  const Json point{{"shape", {6, 8}}, {"low", -1}, {"name", "x"}};
  const Json last{{"use", "model-saver"}, {"when", {{"every_k_epochs", 6}}}};
  const Json probe{{"use", "conformance.probe"}, {"with", {{"names", {"cost", "head/W"}}}}};
  return {{"broch", 1},
          {"seed", 5},
          {"plugins", {MODELS, PROBE}},
          {"model", {{"use", "recorded.tables"}}},
          {"optimizer", {{"use", optimizer}, {"with", numbers}}},
          {"dataflow",
           {{"use", "fake"}, {"with", {{"size", 11}, {"components", Json::array({point})}}}}},
          {"callbacks", Json::array({last, probe})},
          {"monitors", {"json-writer"}},
          {"max_epoch", 6}};
}

Json descent() { return table_manifest("sgd", {{"learning_rate", 0.5}}); }

Json setter(const std::string& name, const Json& schedule) {
  return {{"use", "scheduled-hyper-param-setter"},
          {"with", {{"param", name}, {"schedule", schedule}}}};
}

bool gives_rows(const Outcome& outcome) { return cli_harness::count(outcome.log, ", rows 2") > 0; }

}  // namespace

TEST_CASE("tables: descent by rows has the bits of the eager step, audited or not") {
  check_modes(descent(), replays());
  CHECK(gives_rows(outcomes(descent(), {"auto"}).at("auto")));
}

TEST_CASE("tables: with the pass left out the bits are the same") {
  Json whole = descent();
  whole["runtime"]["level"] = "bitwise";
  const Outcome by_rows = outcomes(whole, {"auto"}).at("auto");
  whole["runtime"]["disabled_passes"] = {"rows"};
  const Outcome other = outcomes(whole, {"auto"}).at("auto");
  CHECK_FALSE(gives_rows(other));
  check_equal(by_rows, other);
}

TEST_CASE("tables: a schedule that sets a weight decay and takes it back is followed") {
  Json made = descent();
  made["callbacks"].push_back(setter("weight_decay", {{2, 0.1}, {4, 0}}));
  made["callbacks"].push_back(setter("learning_rate", {{3, 0}, {5, 0.25}}));
  check_modes(made, replays());
}

TEST_CASE("tables: rules that move every row get whole gradients") {
  const Json momentum = table_manifest("momentum", {{"learning_rate", 0.1}}),
             adam = table_manifest("adam", {{"learning_rate", 0.01}});
  for (const Json& made : {momentum, adam}) {
    check_modes(made, replays());
    CHECK_FALSE(gives_rows(outcomes(made, {"auto"}).at("auto")));
  }
}

TEST_CASE("tables: level fast is the same audited or not") {
  Json made = descent();
  made["runtime"]["level"] = "fast";
  const auto found = outcomes(made, {"recorded", "audit"});
  check_equal(found.at("recorded"), found.at("audit"));
  CHECK(gives_rows(found.at("recorded")));
}
