// variants_test.cpp: towers in other company: trainers, callbacks, batches and runs that change
// from step to step.
#include <doctest/doctest.h>

#include "conformance/driver.hpp"
#include "recorded/modes.hpp"

using namespace broch::conformance;
using namespace broch::recorded;
using broch::cli_harness::count;
using broch::cli_harness::Json;

namespace {

Json trained_by(Json made, const std::string& trainer) {
  made["trainer"] = {{"use", "conformance." + trainer}};
  return made;
}

Json with_callback(Json made, const Json& callback) {
  made["callbacks"].push_back(callback);
  return made;
}

// Batches with as many rows as the list says, in turn.
Json with_lengths(const std::string& tower, const std::vector<std::string>& fetched,
                  const std::vector<int>& rows) {
  Json made = long_manifest(tower, fetched);
  made["dataflow"] = {{"use", "conformance.lengths"}, {"with", {{"rows", rows}, {"size", 17}}}};
  return made;
}

Json runner(const std::string& name, int rows) {
  const Json point{{"shape", {rows, 4}}, {"low", -1}, {"name", "x"}};
  return {{"name", name},
          {"use", "inference-runner"},
          {"with",
           {{"tower_name", name},
            {"dataflow",
             {{"use", "fake"},
              {"with", {{"size", 5}, {"seed", rows}, {"components", Json::array({point})}}}}},
            {"inferencers", Json::array({{{"use", "scalar-stats"},
                                          {"with", {{"names", {"cost"}}, {"prefix", name}}}}})}}}};
}

}  // namespace

TEST_CASE("modes: a target network is what an operation last copied to it") {
  check_modes(with_callback(long_manifest("target_network", {"goal", "target/W", "W", "cost"}),
                            {{"use", "conformance.copier"},
                             {"with", {{"from", "W"}, {"to", "target/W"}, {"every", 7}}}}),
              replays());
}

TEST_CASE("modes: an operation that a plugin runs by itself is replayed") {
  const Json copied = with_callback(
      long_manifest("target_network", {"target/W", "W", "cost"}),
      {{"use", "conformance.copier"}, {"with", {{"from", "W"}, {"to", "target/W"}, {"every", 3}}}});
  Json bitwise = copied;
  bitwise["runtime"]["level"] = "bitwise";
  const auto found = outcomes(bitwise, {"eager", "recorded"});
  check_equal(found.at("eager"), found.at("recorded"));
  const std::string& log = found.at("recorded").log;
  const size_t line = log.find("operation 'copy' of ");
  REQUIRE(line != std::string::npos);
  CHECK(log.substr(line, log.find('\n', line) - line).find(kRecorded) != std::string::npos);
}

TEST_CASE("modes: an operation that differentiates is replayed") {
  check_modes(with_callback(long_manifest("dream", {"dream", "slope", "W", "cost"}),
                            {{"use", "conformance.dreamer"}}),
              replays());
}

TEST_CASE("modes: a trainer's own plan keeps its meaning") {
  check_modes(
      trained_by(long_manifest("two_costs", {"gen/W", "discrim/W", "cost"}), "two-cost-trainer"),
      replays());
  check_modes(
      trained_by(long_manifest("frozen", {"base/W", "head/W", "tail/b", "cost"}), "frozen-trainer"),
      replays());
  check_modes(
      trained_by(long_manifest("accumulation", {"slope", "sum", "W", "cost"}), "accumulating"),
      replays());
  check_modes(trained_by(long_manifest("tied", {"W", "b", "cost"}), "seldom"), replays());
  Json twice = trained_by(long_manifest("dropout_rate", {"mask", "cost"}), "twice");
  twice["steps_per_epoch"] = 17;
  check_modes(twice, replays());
}

TEST_CASE("modes: optimizers with slots and weight decay keep their bits") {
  for (const std::string rule : {"momentum", "adam", "adamw"}) {
    CAPTURE(rule);
    Json made = long_manifest("tied", {"W", "b", "cost"});
    made["optimizer"] = {{"use", rule}, {"with", {{"learning_rate", 0.01}, {"weight_decay", 0.1}}}};
    check_modes(made, replays());
  }
}

TEST_CASE("modes: batch norm writes its statistics only in runs with the update operations") {
  Json without = long_manifest("batch_norm", {"new_mean", "mean/EMA", "cost"});
  without["extra_callbacks"] = Json::array();
  check_modes(without, replays());
}

TEST_CASE("modes: hyper-parameters that a setter changes are seen at once") {
  for (const std::string name : {"dropout_rate", "learning_rate"}) {
    CAPTURE(name);
    check_modes(with_callback(
                    long_manifest("dropout_rate", {"mask", "dropout_rate", "W", "cost"}),
                    {{"use", "scheduled-hyper-param-setter"},
                     {"with", {{"param", name}, {"schedule", {{1, 0.5}, {3, 0.125}, {6, 0.75}}}}}}),
                replays());
  }
}

TEST_CASE("modes: a few shapes of batches are recorded each, many are not") {
  check_modes(with_lengths("ragged_batch", {"y", "cost"}, {5, 5, 5, 3}), replays());
  check_modes(with_lengths("ragged_batch", {"y", "cost"}, {2, 7, 5, 3, 11}), replays());
  check_modes(with_lengths("empty", {"joined", "cost"}, {5, 0, 3}), replays());
  check_modes(with_lengths("ragged_batch", {"y", "cost"},
                           {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}),
              either());
  check_modes(with_lengths("dropout_rate", {"mask", "cost"}, {5, 6, 5, 5, 6, 7}), replays());
}

TEST_CASE("modes: shapes that come again after their recordings had to go stay eager") {
  std::vector<int> rows;
  for (int i = 1; i <= 40; ++i) rows.insert(rows.end(), {50, i});  // never many new ones in a row
  Json made = with_lengths("ragged_batch", {"y", "cost"}, rows);
  made["dataflow"]["with"]["size"] = 80;
  made["steps_per_epoch"] = 15;
  check_modes(made, either());
  const Outcome outcome = outcomes(made, {"auto"}).at("auto");
  INFO(outcome.talk);
  CHECK(count(outcome.talk, "new shapes stay eager: more of them come again than are kept") == 1);
  CHECK(count(outcome.talk, "in a row were different") == 0);
}

TEST_CASE("modes: indices that repeat in a batch add their gradients up") {
  Json made = long_manifest("embedding", {"rows", "table", "padded", "cost"});
  made["dataflow"]["with"]["components"][0] = {
      {"shape", {6}}, {"dtype", "int64"}, {"low", 0}, {"high", 5}, {"name", "index"}};
  check_modes(made, replays());
}

TEST_CASE("modes: what is fetched may change from step to step") {
  for (const std::string tower : {"state", "views_of_one", "draws", "published_variable"}) {
    CAPTURE(tower);
    Json made = long_manifest(tower, {"cost"});
    made["callbacks"][0]["with"]["every"] = 3;
    check_modes(made, replays());
  }
}

TEST_CASE("modes: a name may be fed in some steps only") {
  for (const int every : {1, 3})
    check_modes(with_callback(
                    long_manifest("fed_slice", {"x", "slice", "value", "W", "cost"}),
                    {{"use", "conformance.feed"},
                     {"with", {{"name", "slice"}, {"rows", 5}, {"columns", 3}, {"every", every}}}}),
                replays());
}

TEST_CASE("modes: summaries of some steps leave draws and numbers as they are") {
  for (const int period : {1, 5}) {
    CAPTURE(period);
    check_modes(with_callback(long_manifest("random_summary", {"cost"}),
                              {{"use", "merge-all-summaries"}, {"with", {{"period", period}}}}),
                replays());
  }
  Json alone = with_callback(
      long_manifest("random_summary", {"cost"}),
      {{"use", "merge-all-summaries"}, {"with", {{"period", 4}, {"run_alone", true}}}});
  alone["data"] = {{"use", "queue"}, {"with", {{"dataflow", alone["dataflow"]}}}};
  alone.erase("dataflow");
  check_modes(alone, replays());
}

TEST_CASE("modes: two inference runners and the training share one model") {
  for (const std::string tower :
       {"batch_norm", "double_backward", "gradient_penalty", "saliency", "state"}) {
    CAPTURE(tower);
    check_modes(with_callback(with_callback(long_manifest(tower, {"cost"}), runner("one", 5)),
                              runner("other", 8)),
                replays());
  }
}
