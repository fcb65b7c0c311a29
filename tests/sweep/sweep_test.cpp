// sweep_test.cpp: grids, random trials, tables and pictures.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "sweep/parameter.hpp"
#include "sweeping.hpp"

using namespace broch::sweep_test;

TEST_CASE("sweep: a grid trains every combination; the best one stands first") {
  Sweeping sweep;
  sweep.write(
      {{"parameters", {{"vars.x", {{"values", {1, 3, 5}}}}, {"vars.y", {{"integers", {0, 1}}}}}},
       {"parallel", 2}});
  const Json json = sweep.json();
  REQUIRE(json["trials"].size() == 6);
  const Json best = json["trials"][0];
  CHECK(best["parameters"] == Json({{"vars.x", 3}, {"vars.y", 0}}));
  CHECK(best["trial"] == 3);  // the last parameter changes fastest
  CHECK(best["value"] == 0.25);
  CHECK(best["epochs"] == kEpochs);
  CHECK(best["state"] == "finished");
  CHECK(best["seconds"].get<double>() > 0);
  CHECK(best["log_dir"] == sweep.folder() + "/trial-0003");
  CHECK(json["trials"][1]["value"] == 1.25);
  CHECK(json["trials"][5]["value"] == 5.25);
  CHECK(holds(read_file(sweep.folder() + "/sweep.png"), "PNG"));
  CHECK(holds(read_file(sweep.folder() + "/trial-0003/manifest.resolved.json"), "\"max_epoch\""));
}

TEST_CASE("sweep: the table and the picture come again without a training") {
  Sweeping sweep;
  sweep.write({{"goal", "max"}, {"value", "best"}});
  // In the folder that the sweep makes.
  const Outcome first = sweep.run({"-o", sweep.folder() + "/first.png"});
  CHECK(holds(first.err, "trial 1 of 3 starts: vars.x=1"));
  CHECK(holds(read_file(sweep.folder() + "/first.png"), "PNG"));
  const std::string before = read_file(sweep.events("3"));
  const std::string file = sweep.path() / "again.svg";
  for (const Words& words : {Words{"-o", file}, Words{"--show", "-o", file}}) {
    std::filesystem::remove(file);
    const Outcome again = sweep.run(words);
    INFO(again.err, again.out);
    CHECK(again.exit_code == 0);
    CHECK(holds_in_order(again.out, {"trial  score  epochs  seconds  state     x",
                                     "\n1      5      4", "finished  1", "\n3      5      4",
                                     "finished  5", "\n2      1      4", "picture: " + file}));
    CHECK(holds(read_file(file), "<svg"));
  }
  CHECK(read_file(sweep.events("3")) == before);
}

TEST_CASE("sweep: a picture that cannot be drawn costs neither the table nor the exit code") {
  Sweeping sweep;
  sweep.write({{"parameters", {{"vars.x", {{"values", {1}}}}}}});
  REQUIRE(sweep.run().exit_code == 0);
  broch::test::write_file(sweep.folder() + "/sweep.png", "no picture");
  const Outcome table = sweep.run({"--show"});
  CHECK(table.exit_code == 0);
  CHECK(holds(table.out, "\n1      4.25"));
  CHECK(
      holds(table.err, "there is no picture: " + sweep.folder() + "/sweep.png: something that is"));
  const Outcome json = sweep.run({"--show", "--json"});
  CHECK(Json::parse(json.out)["picture"].is_null());
  const Outcome asked = sweep.run({"--show", "-o", sweep.folder() + "/sweep.png"});
  CHECK(asked.exit_code == 5);
}

TEST_CASE("sweep: random parameters depend on the seed and the number of the trial alone") {
  const Json parameters = {{"vars.x", {{"uniform", {0, 2}}}},
                           {"vars.y", {{"log_uniform", {1e-4, 1}}}},
                           {"seed", {{"integers", {1, 6}}}}};
  const auto drawn = [&](Sweeping& sweep, int trials, int seed, int parallel) {
    sweep.write({{"parameters", parameters},
                 {"method", {{"random", {{"trials", trials}, {"seed", seed}}}}},
                 {"parallel", parallel}});
    std::map<int, Json> by_number;
    const Json json = sweep.json();
    for (const Json& trial : json["trials"])
      by_number[trial["trial"].get<int>()] = trial["parameters"];
    return by_number;
  };
  Sweeping first, second, third;
  auto three = drawn(first, 3, 7, 1);
  CHECK(three == drawn(second, 3, 7, 3));
  auto other = drawn(third, 3, 8, 3);
  for (const auto& [number, one] : three) {
    CHECK(one["vars.x"].get<double>() >= 0);
    CHECK(one["vars.x"].get<double>() < 2);
    CHECK(one["vars.y"].get<double>() >= 1e-4);
    CHECK(one["seed"].get<int>() >= 1);
    CHECK(one["seed"].get<int>() <= 6);
    CHECK(one != other[number]);
  }
  // More trials: the first ones stay, and are not trained again.
  const auto written = std::filesystem::last_write_time(first.folder() + "/trial-0001/log.log");
  auto five = drawn(first, 5, 7, 2);
  REQUIRE(five.size() == 5);
  for (const auto& [number, one] : three) CHECK(five[number] == one);
  CHECK(std::filesystem::last_write_time(first.folder() + "/trial-0001/log.log") == written);
}

TEST_CASE("sweep: draws are spread over their range, and a grid has steps") {
  using broch::sweep::Parameter;
  using broch::value::Value;
  Parameter rate{"rate", {}, Parameter::Kind::log_uniform, {}, 1e-4, 1};
  int low = 0;
  double sum = 0;
  for (uint64_t trial = 1; trial <= 4000; ++trial) {
    const double value = rate.draw(3, trial).number();
    low += value < 1e-2;
    sum += std::log10(value);
  }
  CHECK(low > 1850);  // half of the range of the logarithm
  CHECK(low < 2150);
  CHECK(sum / 4000 == doctest::Approx(-2).epsilon(0.02));
  rate.steps = 5;
  const auto grid = *rate.grid();
  REQUIRE(grid.size() == 5);
  for (int i = 0; i < 5; ++i) CHECK(grid[i].number() == doctest::Approx(std::pow(10, i - 4)));
  CHECK(grid[0].number() == 1e-4);
  CHECK(grid[4].number() == 1);
  const Parameter wide{"wide", {}, Parameter::Kind::log_uniform, {}, 1e-200, 1e200, 3};
  CHECK(wide.grid()->at(1).number() == doctest::Approx(1));
  Parameter count{"count", {}, Parameter::Kind::integers, {}, 1, 3};
  std::set<int64_t> all;
  for (uint64_t trial = 1; trial <= 100; ++trial) all.insert(count.draw(0, trial).integer());
  CHECK(all == std::set<int64_t>{1, 2, 3});
  count.high = 9, count.steps = 3;
  CHECK(count.grid()->at(1) == Value(int64_t{5}));
}

TEST_CASE("sweep: each trial sees one of the devices") {
  for (const auto& [visible, expected] : std::map<std::string, std::set<std::string>>{
           {"", {"0", "1"}}, {"4,GPU-7", {"4", "GPU-7"}}}) {
    CAPTURE(visible);
    Sweeping sweep(0.02);
    sweep.write(
        {{"parameters", {{"vars.x", {{"values", {1, 3}}}}}}, {"devices", {"cuda:0", "cuda:1"}}});
    Surroundings surroundings;
    if (!visible.empty()) surroundings.environment["CUDA_VISIBLE_DEVICES"] = visible;
    const Outcome outcome = run(sweep.command(), surroundings);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    std::set<std::string> names;
    for (const char* trial : {"/trial-0001", "/trial-0002"})
      names.insert(
          Json::parse(read_file(sweep.folder() + trial + "/manifest.resolved.json"))["name"]
              .get<std::string>());
    CHECK(names == expected);
  }
}

TEST_CASE("sweep: trainings that compute, with overrides") {
  Sweeping sweep;
  sweep.write({{"manifest", SAMPLE_DIR "/digits.json"},
               {"overrides",
                {"plugins=[\"" SAMPLE_PLUGIN "\"]", "max_epoch=1", "model.with.width=4",
                 "~callbacks[test]"}},
               {"parameters", {{"optimizer.with.learning_rate", {{"values", {1e-9, 2e-3}}}}}},
               {"metric", "validation_error"}});
  Words words = sweep.command();
  words.erase(words.end() - 2, words.end());  // --runtime null
  const Json json = json_of(words);
  CHECK(json["trials"][0]["parameters"]["optimizer.with.learning_rate"] == 2e-3);
  CHECK(json["trials"][0]["value"] < json["trials"][1]["value"]);
}
