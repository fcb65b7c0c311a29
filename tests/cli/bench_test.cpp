// bench_test.cpp: broch bench MANIFEST: what limits a run.
#include <doctest/doctest.h>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

constexpr double kPause = 2000;  // microseconds

Words bench(const Quick& quick, const Words& words = {}) {
  Words all{"bench", "--runtime", "null", quick.manifest(), "--steps", "20"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

const char* const kSlowData = R"(data={"use": "test.slow", "with": {"seconds": 2e-3}})";

}  // namespace

TEST_CASE("bench: a callback that waits is what limits the run, by name") {
  const Quick quick(kPause * 1e-6);
  const Json json = json_of(bench(quick));
  const Json times = json["microseconds_per_step"];
  CHECK(json["limit"] == "callbacks");
  CHECK(json["slowest_callback"] == "pause");
  CHECK(json["steps"] == 20);
  CHECK(times["callbacks"].get<double>() > kPause);
  CHECK(times["whole"].get<double>() > times["callbacks"].get<double>());
  CHECK(times["model"].get<double>() < kPause / 2);  // without the callback
  CHECK(times["data"].get<double>() < kPause / 2);
}

TEST_CASE("bench: data that come slowly are what limits the run, and are not in the model's time") {
  const Quick quick;
  const Json json = json_of(bench(quick, {kSlowData}));
  const Json times = json["microseconds_per_step"];
  CHECK(json["limit"] == "data");
  CHECK(times["data"].get<double>() > kPause);
  CHECK(times["waiting"].get<double>() > kPause);
  CHECK(times["waiting"].get<double>() < times["whole"].get<double>());
  CHECK(times["model"].get<double>() < kPause / 2);
}

TEST_CASE("bench: the parts of digits add up, and the largest is named as the limit") {
  const Json json = json_of(digits({"bench", "--steps", "20"}, {"model.with.width=32"}));
  const Json times = json["microseconds_per_step"];
  std::string largest = "model";
  double most = times["model"].get<double>();
  for (const auto& [part, name] : {std::pair{"waiting", "data"}, {"callbacks", "callbacks"}})
    if (times[part].get<double>() > most) most = times[part].get<double>(), largest = name;
  CHECK(json["limit"] == largest);
  const double sum = times["model"].get<double>() + times["waiting"].get<double>() +
                     times["callbacks"].get<double>();
  CHECK(sum >= times["whole"].get<double>() * 0.999);
}

TEST_CASE("bench: --only measures that part and nothing else") {
  const Quick quick(kPause * 1e-6);
  const Json data = json_of(bench(quick, {"--only", "data"}))["microseconds_per_step"];
  CHECK(data["data"].is_number());
  CHECK(data["whole"].is_null());
  CHECK(data["model"].is_null());
  CHECK_FALSE(std::filesystem::exists(quick.events()));  // no step was made
  const Json model = json_of(bench(quick, {"--only", "model"}))["microseconds_per_step"];
  CHECK(model["model"].is_number());
  CHECK(model["data"].is_null());
  CHECK_FALSE(std::filesystem::exists(quick.events()));
  const Json rest = json_of(bench(quick, {"--only", "callbacks"}))["microseconds_per_step"];
  CHECK(rest["callbacks"].get<double>() > kPause);
  CHECK(rest["data"].is_null());
}

TEST_CASE("bench: the data of two towers, which are staged") {
  const Json json = json_of(digits(
      {"bench", "--steps", "20", "--only", "data"},
      {R"(trainer={"use": "sync-parameter-server", "with": {"devices": ["cpu:0", "cpu:1"]}})"}));
  CHECK(json["microseconds_per_step"]["data"].get<double>() > 0);
}

TEST_CASE("bench: the text has a line for each part and one that names the limit") {
  const Quick quick;
  const Outcome outcome = run(bench(quick, {kSlowData, "log_dir=" + quick.log_dir()}));
  CHECK(outcome.exit_code == 0);
  CHECK(
      holds_in_order(outcome.out, {"part ", "us per step", "\nwhole ", "\nwaiting ", "\ncallbacks ",
                                   "\ndata ", "\nmodel ", "\nlimit: the data: "}));
  CHECK_FALSE(std::filesystem::exists(quick.log_dir()));
}

TEST_CASE("bench: data that end before the steps are done say so") {
  const Outcome outcome = run(digits(
      {"bench", "--only", "data", "--steps", "200"},
      {R"(data={"use": "feed", "with": {"infinite": false, "dataflow": {"use": "fake", "with": {"size": 9, "components": [{"shape": [2, 1, 8, 8]}, {"shape": [2], "dtype": "int64"}]}}}})",
       "dataflow=null"}));
  CHECK(outcome.exit_code == 5);
  CHECK(holds_in_order(outcome.err, {"measuring data", "the end of the data", "--steps"}));
}

TEST_CASE("bench: --only data says what each stage of a dataflow costs, the innermost first") {
  const Words words = digits(
      {"bench", "--only", "data", "--steps", "5", "--seconds", "0.02", "--json"},
      {R"(dataflow={"use": "batch", "with": {"batch_size": 2, "dataflow": {"use": "fake", "with": {"size": 100, "components": [{"shape": [1, 8, 8]}, {"shape": [], "dtype": "int64"}]}}}})"});
  const Json json = Json::parse(run(words).out);
  const Json& stages = json["stages"];
  REQUIRE(stages.size() == 2);
  CHECK(stages[0]["use"] == "broch.dataflow.fake");
  CHECK(stages[0]["depth"] == 1);
  CHECK(stages[0]["own_microseconds"] == stages[0]["microseconds_per_point"]);
  CHECK(stages[1]["use"] == "broch.dataflow.batch");
  CHECK(stages[1]["points"].get<int64_t>() > 0);
  CHECK(stages[1]["own_microseconds"].get<double>() <
        stages[1]["microseconds_per_point"].get<double>());
  CHECK(json["microseconds_per_step"]["data"].is_number());
}
