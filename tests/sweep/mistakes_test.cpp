// mistakes_test.cpp: descriptions that are wrong, and folders that do not fit.
#include <doctest/doctest.h>

#include "sweeping.hpp"
#include "value/json.hpp"
#include "value/schema.hpp"

using namespace broch::sweep_test;

namespace {

struct Mistake {
  Json members;
  std::string found;  // parts of the message, divided by |
};

Words parts_of(const std::string& text) {
  Words parts(1);
  for (const char c : text)
    if (c == '|')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Json x(const Json& values) { return {{"parameters", {{"vars.x", values}}}}; }

}  // namespace

TEST_CASE("sweep: the schema is one") {
  using namespace broch;
  value::Faults faults;
  value::check_schema(value::parse(value::read_source(SWEEP_SCHEMA)), base::Exit::manifest, faults);
  CHECK_NOTHROW(faults.raise());
}

TEST_CASE("sweep: every mistake is found before the first training, with its place") {
  Sweeping sweep;
  const std::string path = "sweep.json:";
  const Mistake mistakes[] = {
      {{{"metrik", 1}}, "/metrik: unknown key|metric"},
      {{{"metric", 1}}, "/metric: 1"},
      {{{"goal", "least"}}, "/goal: 'least'|min"},
      {{{"parallel", 0}}, "/parallel: 0"},
      {{{"parameters", Json::object()}}, "/parameters: no parameter"},
      {x(Json::object()), "/parameters/vars.x: no values"},
      {x({{"values", Json::array()}}), "/parameters/vars.x/values"},
      {x({{"values", {1}}, {"uniform", {0, 1}}}), "two ways to choose a value"},
      {x({{"uniform", {1, 0}}}), "1 and 0, expected two numbers, the smaller one first"},
      {x({{"uniform", {-1.7e308, 1.7e308}}}), "a difference that a double|write a smaller range"},
      {x({{"integers", {1, int64_t{1} << 62}}}),
       "integers of at most 53 bits|write a smaller range"},
      {x({{"uniform", {0}}}), "/parameters/vars.x/uniform"},
      {x({{"log_uniform", {0, 1}}}), "/parameters/vars.x/log_uniform/0: 0"},
      {x({{"integers", {1.5, 2}}}), "/parameters/vars.x/integers/0: 1.5"},
      {x({{"values", {1}}, {"steps", 2}}), "steps beside values"},
      {x({{"uniform", {0, 1}}}), "a range in a grid, expected \"steps\""},
      {x({{"integers", {1, 20000}}}), "a grid of 20000 trials"},
      {{{"parameters", {{"+callbacks", {{"values", {1}}}}}}}, "the path of an override without"},
      {{{"parameters", {{"log_dir", {{"values", {"a"}}}}}}}, "/parameters/log_dir: log_dir"},
      {{{"parameters", {{"vars.x.y", {{"values", {1}}}}}}}, "vars.x.y|in the sweep: |sweep.json:"},
      {{{"parameters", {{"max_epochs", {{"values", {1}}}}}}},
       "max_epochs|in the sweep: |/parameters/max_epochs"},
      {{{"parameters", {{"max_epoch", {{"values", {1, "two"}}}}}}},
       "/max_epoch: 'two'|in the sweep: |/parameters/max_epoch"},
      {{{"parameters", {{"max_epoch", {{"uniform", {1, 3}}}}}},
        {"method", {{"random", {{"trials", 2}}}}}},
       "/max_epoch: 1.76|in the sweep: |/parameters/max_epoch"},
      {{{"overrides", {"max_epoch=2", "max_epochs=2"}}}, "max_epochs|in the sweep: |/overrides/1"},
      {{{"overrides", {"max_epoch"}}}, "no '='|in the sweep: |/overrides/0"},
      {{{"overrides", {"vars.x=2"}}}, "vars.x|in the sweep: |/parameters/vars.x"},
      {{{"overrides", {"~log_dir"}}}, "/overrides/0: log_dir"},
      {{{"overrides", {"resume=auto"}}}, "/overrides/0: resume"},
      {{{"method", "line"}}, "/method: 'line'"},
      {{{"method", Json::object()}}, "/method: neither random nor command"},
      {{{"method", {{"random", {{"trials", 0}}}}}}, "/method/random/trials: 0"},
      {{{"method", {{"random", {{"trials", 1}}}, {"timeout", 1}}}}, "timeout beside random"},
      {{{"method", {{"command", Json::array()}}}}, "/method/command"},
      {{{"devices", {"gpu:0"}}}, "/devices/0: 'gpu:0'"},
      {{{"halving", Json::object()}}, "/halving: neither every_epochs nor rungs"},
      {{{"halving", {{"rungs", {2, 1}}}}}, "/halving/rungs: epochs that do not ascend"},
      {{{"halving", {{"every_epochs", 1}, {"keep", 1}}}}, "/halving/keep: 1"},
      {{{"halving", {{"every_epochs", 1}}}, {"method", {{"command", {"a"}}}}},
       "halving together with a command"},
  };
  for (const Mistake& mistake : mistakes) {
    sweep.write(mistake.members);
    const Outcome outcome = sweep.run();
    INFO(mistake.members.dump());
    INFO(outcome.err);
    CHECK(outcome.exit_code == 3);
    CHECK(holds_in_order(outcome.err, parts_of(mistake.found)));
    CHECK(holds(outcome.err, path));
  }
  CHECK_FALSE(std::filesystem::exists(sweep.folder()));
}

TEST_CASE("sweep: a device that is not there; a disk without room for the list of trials") {
  Sweeping sweep;
  sweep.write({{"devices", {"cuda:1"}}});
  Surroundings one_device;
  one_device.environment["CUDA_VISIBLE_DEVICES"] = "0";
  const Outcome outcome = run(sweep.command(), one_device);
  CHECK(outcome.exit_code == 3);
  CHECK(holds(outcome.err, "/devices: cuda:1, expected one of the devices in CUDA_VISIBLE_"));
  CHECK_FALSE(std::filesystem::exists(sweep.folder()));
  // Nothing is left that a second start would take for files of somebody else.
  sweep.write(x({{"integers", {1, 20}}}));
  CHECK(run(sweep.command(), {.file_bytes = 1000}).exit_code == 5);
  CHECK(std::filesystem::is_empty(sweep.folder()));
}

TEST_CASE("sweep: no file, no JSON, no manifest, no picture") {
  Sweeping sweep;
  const Outcome no_file = sweep.run();
  CHECK(no_file.exit_code == 5);
  CHECK(holds(no_file.err, "sweep.json: no such file"));
  broch::test::write_file(sweep.path() / "sweep.json", "{\"manifest\": ");
  CHECK(sweep.run().exit_code == 3);
  sweep.write({{"manifest", "other.json"}});
  CHECK(holds(sweep.run().err, "other.json: no such file"));
  sweep.write();
  CHECK(sweep.run({"-o", sweep.path() / "picture.txt"}).exit_code == 2);
  const Outcome nowhere = sweep.run({"-o", sweep.path() / "none" / "picture.png"});
  CHECK(nowhere.exit_code == 5);
  CHECK(holds_in_order(nowhere.err, {"none/picture.png", "No such file", "expected a folder"}));
  CHECK(holds(sweep.run({"--show"}).err, "no sweep.json"));
  CHECK_FALSE(std::filesystem::exists(sweep.folder()));
}

TEST_CASE("sweep: a folder of something else, or of another sweep") {
  Sweeping sweep;
  sweep.write();
  std::filesystem::create_directory(sweep.folder());
  broch::test::write_file(sweep.folder() + "/precious", "");
  const Outcome foreign = sweep.run();
  CHECK(foreign.exit_code == 5);
  CHECK(holds(foreign.err, "files that are of no sweep"));
  std::filesystem::remove(sweep.folder() + "/precious");
  REQUIRE(sweep.run().exit_code == 0);
  const auto refused = [&](const Json& members) {
    sweep.write(members);
    const Outcome outcome = sweep.run();
    CHECK(outcome.exit_code == 5);
    return outcome.err;
  };
  CHECK(holds(refused({{"overrides", {"max_epoch=5"}}}), "trials of another manifest"));
  CHECK(holds(refused(x({{"values", {1, 4, 5}}})),
              "trial 2 with vars.x=3, expected vars.x=4, as the sweep says now"));
  CHECK(holds(refused(x({{"values", {1, 3}}})), "3 trials of an earlier start"));
  CHECK(holds(refused({{"method", {{"command", {"none"}}}}}),
              "trial 1, which no program has chosen, expected trials of a program"));
  broch::test::write_file(sweep.folder() + "/sweep.json", "{\"sweep\": 1}");
  CHECK(holds(refused(Json::object()), "sweep.json: no list of trials"));
}
