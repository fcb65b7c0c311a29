// rates_test.cpp: what is found out about learning rates before training.
#include <doctest/doctest.h>

#include <cmath>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

constexpr int kSteps = 10, kEpochs = 6;

std::string schedule(const std::string& phases, const std::string& more = "") {
  return R"({"use":"schedule","with":{"param":"learning_rate","phases":)" + phases + more + "}}";
}

// run plot --schedule MANIFEST overrides -o file words
Words plot(const std::string& callbacks, const std::string& file, const Words& words = {},
           const std::string& epochs = std::to_string(kEpochs)) {
  Words all{"run",
            "plot",
            "--schedule",
            SAMPLE_DIR "/digits.json",
            "plugins=[\"" SAMPLE_PLUGIN "\"]",
            "callbacks=[" + callbacks + "]",
            "steps_per_epoch=" + std::to_string(kSteps),
            "max_epoch=" + epochs,
            "-o",
            file};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

TEST_CASE("plot --schedule: the values that the callbacks will set, by epoch and by step") {
  const Folder folder;
  const std::string file = folder.path() / "picture.svg";
  const std::string warm =
      schedule(R"([{"shape":"linear","from":0.1,"to":0.3,"length":20},{"shape":"constant"}])",
               R"(,"step_based":true)");
  const std::string momentum =
      R"({"use":"scheduled-hyper-param-setter","with":{"param":"momentum","schedule":[[2,0.5]]}})";
  const Json json = json_of(
      plot(warm + "," + momentum, file,
           {R"(optimizer={"use":"momentum","with":{"learning_rate":0.7,"momentum":0.9}})"}));
  CHECK(holds(read_file(file), "<svg"));
  REQUIRE(json["panels"].size() == 2);
  const Json rate = json["panels"][0]["series"][0], slow = json["panels"][1]["series"][0];
  CHECK(rate["name"] == "learning_rate");
  CHECK(slow["name"] == "momentum");
  REQUIRE(rate["epochs"].size() == kSteps * kEpochs + 1);
  for (int step = 0; step <= kSteps * kEpochs; ++step) {
    CAPTURE(step);
    CHECK(rate["epochs"][step].get<double>() == doctest::Approx(double(step) / kSteps));
    CHECK(rate["values"][step].get<double>() == doctest::Approx(0.1 + 0.01 * std::min(step, 20)));
    CHECK(slow["values"][step].get<double>() == (step < 2 * kSteps ? 0.9 : 0.5));
  }
}

TEST_CASE("plot --schedule: any callback that sets a hyper-parameter, also inside another") {
  const Folder folder;
  const std::string file = folder.path() / "picture.png";
  const std::string halves = R"({"use":"hyper-param-setter-with-func","when":{"every_k_epochs":2},)"
                             R"("with":{"param":"learning_rate","func":"value / 2"}})";
  const std::string waits = R"({"use":"reduce-on-plateau","with":{"param":"learning_rate",)"
                            R"("monitor_stat":"score"}})";
  const Json json = json_of(plot(halves + "," + waits, file, {"optimizer.with.learning_rate=8"}));
  CHECK(json["waiting"] == Json::array({"/callbacks/1"}));
  const Json values = json["panels"][0]["series"][0]["values"];
  CHECK(values[0] == 4);  // before training
  CHECK(values[2 * kSteps] == 2);
  CHECK(values[4 * kSteps] == 1);
  const Outcome text = run(plot(halves, file));
  CHECK(text.exit_code == 0);
  CHECK(holds_in_order(text.out, {"hyper-parameter", "learning_rate", "picture: " + file}));
}

TEST_CASE("plot --schedule: nothing to draw, or too much") {
  const Folder folder;
  const std::string file = folder.path() / "picture.png";
  const Outcome none = run(plot("\"model-saver\"", file));
  CHECK(none.exit_code == 3);
  CHECK(holds_in_order(none.err, {"/callbacks", "no callback that sets a hyper-parameter"}));
  const Outcome many =
      run(plot(schedule(R"([{"shape":"constant","from":1}])"), file, {}, "9999999"));
  CHECK(many.exit_code == 2);
  CHECK(holds(many.err, "at most 10000000 steps in all"));
  CHECK_FALSE(std::filesystem::exists(file));
}

namespace {

// lr-find MANIFEST -o file words
Words find(const std::string& file, const Words& words = {}) {
  Words all{"lr-find",
            SAMPLE_DIR "/digits.json",
            "plugins=[\"" SAMPLE_PLUGIN "\"]",
            "model.with.width=4",
            "-o",
            file};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::vector<double> numbers(const Json& list) { return list.get<std::vector<double>>(); }

}  // namespace

TEST_CASE("lr-find: the rate grows by a factor, the loss is smoothed, the steepest place counts") {
  const Folder folder;
  const std::string file = folder.path() / "picture.svg", log_dir = folder.path() / "log";
  const Json json =
      json_of(find(file, {"--from", "1e-5", "--to", "0.1", "--steps", "41", "log_dir=" + log_dir}));
  const std::vector<double> rates = numbers(json["rates"]), losses = numbers(json["losses"]),
                            smooth = numbers(json["smooth"]);
  REQUIRE(rates.size() == 41);
  REQUIRE(losses.size() == 41);
  double average = 0, weight = 0;
  size_t steepest = 0;
  double least = 0;
  for (size_t i = 0; i < 41; ++i) {
    CHECK(rates[i] == doctest::Approx(std::pow(10, -5 + 0.1 * double(i))));
    average = 0.98 * average + 0.02 * losses[i];
    weight = 0.98 * weight + 0.02;
    CHECK(smooth[i] == doctest::Approx(average / weight));
    // numpy.gradient(smooth[10:-1])
    if (i < 10 || i > 39) continue;
    const size_t before = i > 10 ? i - 1 : i, after = i < 39 ? i + 1 : i;
    const double slope = (smooth[after] - smooth[before]) / double(after - before);
    if (slope < least) least = slope, steepest = i;
  }
  REQUIRE(steepest > 0);
  CHECK(json["suggestion"] == rates[steepest]);
  CHECK(json["diverged"] == false);
  CHECK(losses[0] > 2);           // ten classes: about log(10) …
  CHECK(losses[40] < losses[0]);  // … and less after some steps
  CHECK(holds(read_file(file), "<svg"));
  CHECK_FALSE(std::filesystem::exists(log_dir));
}

TEST_CASE("lr-find: it ends when the loss diverges, and suggests nothing where none falls") {
  const Folder folder;
  const std::string file = folder.path() / "picture.png";
  const Json far = json_of(find(file, {"--to", "1e6", "--steps", "60"}));
  CHECK(far["diverged"] == true);
  CHECK(far["rates"].size() < 60);
  CHECK(far["rates"].size() == far["losses"].size());
  const Outcome few = run(find(file, {"--steps", "5"}));
  CHECK(few.exit_code == 0);
  CHECK(holds_in_order(few.out, {"steps: 5 of 5", "suggestion: none", "picture: " + file}));
}

TEST_CASE("lr-find: an unknown parameter, no picture, no folder for it") {
  const Folder folder;
  const Outcome unknown = run(find(folder.path() / "a.png", {"--param", "rate"}));
  CHECK(unknown.exit_code == 2);
  CHECK(holds_in_order(unknown.err, {"--param: no hyper-parameter rate", "learning_rate"}));
  CHECK(run(find(folder.path() / "a.txt")).exit_code == 2);
  // This is said before any other mistake, so before a step.
  const Outcome nowhere = run(find(folder.path() / "none" / "a.png", {"no_such_key=1"}));
  CHECK(nowhere.exit_code == 5);
  CHECK(holds_in_order(nowhere.err, {"none/a.png", "No such file", "expected a folder", "-o"}));
}
