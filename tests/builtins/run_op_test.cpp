// run_op_test.cpp: run-op.
#include "slope.hpp"

using namespace broch::test;

TEST_CASE("run-op: copies, moves towards, sets to a number") {
  Project project;
  // The weight is 1 and falls by 1, 2, 3 and 4.
  const auto values = [&](const std::string& options, const std::string& weight = "w") {
    const std::string watch = recorder("{" + project.trace_option() + R"(, "watch": ")" + weight +
                                       R"(", "events": ["trigger_step"]})");
    Lines overrides = four_steps(use("run-op", options) + ", " + watch);
    overrides.push_back(R"(model={"use": "test.slope", "with": {"name": ")" + weight + "\"}}");
    CHECK(train(project, overrides) == Exit::ok);
    CHECK(project.failure == "");
    Lines lines;
    for (const std::string& line : project.trace("trigger_step "))
      lines.push_back(line.substr(line.find(' ') + 1));
    return lines;
  };
  CHECK(values(R"("assign": [{"variables": "w", "value": 7}])") == Lines{"6", "4", "1", "-3"});
  CHECK(values(R"("assign": [{"variables": ".", "value": 7}], "run_before": false)") ==
        Lines{"0", "-2", "-5", "-9"});
  CHECK(values(R"("assign": [{"variables": "w", "value": 7}], "run_step": true,
                  "verbose": true)") == Lines{"7", "7", "7", "7"});
  CHECK(project.logged("assigns to 1 variables after a step"));
  // Half of the way from what the step has left to 8: 0 -> 4, 2 -> 5, 2 -> 5, 1 -> 4.5.
  CHECK(values(R"("assign": [{"variables": "w", "value": 8, "rate": 0.5}], "run_before": false,
                  "run_step": true)") == Lines{"4", "5", "5", "4.5"});
  // A group of the expression: the variable itself.
  CHECK(values(R"x("assign": [{"variables": "(.)", "from": "$1"}], "run_step": true)x") ==
        Lines{"0", "-2", "-5", "-9"});
}

TEST_CASE("run-op: all is assigned at once, so two variables can be exchanged") {
  Project project;
  const std::string watch =
      recorder("{" + project.trace_option() + R"(, "watch": "w", "events": ["trigger_step"]})");
  Lines overrides = four_steps(use("run-op", R"("run_before": false, "run_step": true, "assign": [
      {"variables": "w", "from": "w/momentum_buffer"},
      {"variables": "w/momentum_buffer", "from": "w"}])") +
                               ", " + watch);
  overrides.push_back(
      R"(optimizer={"use": "momentum", "with": {"learning_rate": 1, "momentum": 0.5}})");
  CHECK(train(project, overrides) == Exit::ok);
  CHECK(project.failure == "");
  // Weight and buffer are 0 and 1 before the exchange, then -1 and 2, -0.5 and 2.5, -1.25 and 3.75.
  CHECK(project.trace("trigger_step ") == Lines{"1,0,1 1", "1,1,2 2", "1,2,3 2.5", "1,3,4 3.75"});
}

TEST_CASE("run-op: towers with variables of their own get the same") {
  for (const std::string weight : {"w", "tower1/w"}) {
    CAPTURE(weight);
    Project project;
    const std::string watch = recorder("{" + project.trace_option() + R"(, "watch": ")" + weight +
                                       R"(", "events": ["before_train", "trigger_step"]})");
    Lines overrides = four_steps(use("run-op", R"("assign": [{"variables": "w", "value": 7}],
                                                  "run_step": true)") +
                                 ", " + watch);
    overrides.push_back(kReplicated);
    CHECK(train(project, overrides) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(project.trace() == Lines{"before_train 0,-1,0 7", "trigger_step 1,0,1 7",
                                   "trigger_step 1,1,2 7", "trigger_step 1,2,3 7",
                                   "trigger_step 1,3,4 7"});
  }
}

TEST_CASE("run-op: before training it runs once, also in a run that is resumed before its steps") {
  const std::string saver = R"({"use": "model-saver", "when": {"before_train": true}})";
  const std::string half = use("run-op", R"("assign": [{"variables": "w", "value": 7, "rate": 0.5}],
                                            "run_as_trigger": false)");
  for (const bool saver_first : {true, false}) {
    CAPTURE(saver_first);
    Project project;
    const std::string watch =
        recorder("{" + project.trace_option() + R"(, "watch": "w", "events": ["trigger_step"]})");
    const Lines overrides =
        four_steps((saver_first ? saver + ", " + half : half + ", " + saver) + ", " + watch);
    for (const bool resumes : {false, true}) {
      broch::session::RunOptions options;
      options.resume = resumes;
      CHECK(train(project, overrides, options) == Exit::ok);
      CHECK(project.failure == "");
      CHECK(project.trace("trigger_step ") == Lines{"1,0,1 3", "1,1,2 1", "1,2,3 -2", "1,3,4 -6"});
    }
  }
}

TEST_CASE("run-op: what cannot be assigned is said before training") {
  Project project;
  const auto failure = [&](const std::string& assign, Exit exit) {
    CHECK(train(project, four_steps(use("run-op", "\"assign\": [" + assign + "]"))) == exit);
    return project.failure;
  };
  const auto has = [](const std::string& text, const std::string& words) {
    INFO(text);
    CHECK(text.find(words) != std::string::npos);
  };
  has(failure(R"({"variables": "nothing", "value": 1})", Exit::training),
      "no variable whose whole name matches 'nothing'");
  has(failure(R"({"variables": "w", "from": "nothing"})", Exit::training), "nothing");
  has(failure(R"({"variables": "(", "value": 1})", Exit::manifest),
      "expected a regular expression");
  has(failure(R"({"variables": "w"})", Exit::manifest), "found neither of from and value");
  has(failure(R"({"variables": "w", "value": 1}, {"variables": "("})", Exit::manifest),
      "/with/assign/1: ");
  Lines of_replica =
      four_steps(use("run-op", R"("assign": [{"variables": "tower1/w", "value": 1}])"));
  of_replica.push_back(kReplicated);
  CHECK(train(project, of_replica) == Exit::training);
  has(project.failure, "'tower1/w', expected at least one of the first tower");
}
