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
